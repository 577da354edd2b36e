package fronts

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// If a login ends while a room and a kernel are open, calls still work: with existing connections, with connections that
// have to be made again, and at a restarted server that does not accept earlier cookies.
func TestLoginOver(t *testing.T) {
	t.Parallel()
	opt := locked()
	opt.Root = t.TempDir()
	opt.Args = append(opt.Args, "--PasswordIdentityProvider.get_secure_cookie_kwargs={'max_age_days': 0.00003}")
	l, ca := behind(t, opt), newAuthority(t, time.Now().Add(-time.Hour))
	p := nginx(t, ca, l)
	a := start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_PASSWORD="+password)
	work(t, a, l, "a.ipynb")
	over := func() { time.Sleep(3 * time.Second) } // a login lasts 2.6 s

	over()
	again(t, a, "with the old connections")
	inFile(t, l, "a.ipynb", "with the old connections")

	over()
	p.again(t)
	again(t, a, "with new connections")
	inFile(t, l, "a.ipynb", "with new connections")

	must.NoError(t, l.Stop())
	next := behind(t, opt)
	p.lead(t, l, next)
	l = next
	again(t, a, "with a new server")
	inFile(t, l, "a.ipynb", "with a new server")
	says := do(t, a, "read_nb_cells", map[string]any{"path": "a.ipynb"})
	has(t, "the notebook", says, "6 * 7", "with the old connections", "with new connections", "with a new server")
	if n := strings.Count(says, "with new connections"); n != 2 { // the source and its output
		t.Errorf("it stands there %d times: %s", n, says)
	}
}

// again writes a cell that prints a text, and runs it.
func again(t *testing.T, a *agent.Agent, text string) {
	t.Helper()
	add(t, a, "a.ipynb", "print('"+text+"')")
	has(t, "the run", do(t, a, "execute_nb_cells", map[string]any{"path": "a.ipynb", "ranges": []any{map[string]any{"start": 0}}}), text)
	do(t, a, "list_files", nil)
}
