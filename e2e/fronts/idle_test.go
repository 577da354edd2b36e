package fronts

import (
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/lab"
)

// A proxy that ends connections after a silent minute, as nginx does, ends neither a room nor an unused kernel: both
// send something in between. Later messages of the kernel arrive.
func TestIdleMinute(t *testing.T) {
	t.Parallel()
	l, ca := behind(t, lab.Options{}), newAuthority(t, time.Now().Add(-time.Hour))
	p := nginx(t, ca, l)
	a := start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_TOKEN="+l.Token)
	work(t, a, l, "a.ipynb")
	before := len(p.requests(t, "/api/collaboration/room/")) + len(p.requests(t, "/channels"))
	time.Sleep(68 * time.Second) // longer than the page's 60 s
	for _, word := range []string{"/api/collaboration/room/", "/channels"} {
		if lines := p.requests(t, word); len(lines) > before {
			t.Errorf("ended while nobody used it: %q", lines)
		}
	}
	add(t, a, "a.ipynb", "print('after')")
	has(t, "the run", do(t, a, "execute_nb_cells", map[string]any{"path": "a.ipynb", "ranges": []any{map[string]any{"start": 0}}}), "after")
	inFile(t, l, "a.ipynb", "after")
}

// A proxy that ends connections after two silent seconds causes constant reconnects, but no edit is lost, nor a longer
// silent run, nor what another client writes in the meantime.
func TestIdleSeconds(t *testing.T) {
	t.Parallel()
	l, ca := behind(t, lab.Options{}), newAuthority(t, time.Now().Add(-time.Hour))
	p := nginx(t, ca, l, "proxy_read_timeout 60s", "proxy_read_timeout 2s; proxy_send_timeout 2s")
	a := start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_TOKEN="+l.Token)
	b := start(t, l, l.URL, "JUPYTER_TOKEN="+l.Token)
	work(t, a, l, "a.ipynb")
	for _, what := range []string{"one", "two", "three"} {
		time.Sleep(2500 * time.Millisecond) // the proxy cuts the connection
		add(t, a, "a.ipynb", "# mine: "+what)
		add(t, b, "a.ipynb", "# theirs: "+what)
	}
	add(t, a, "a.ipynb", "import time; time.sleep(7); print('slept')")
	has(t, "the run", do(t, a, "execute_nb_cells", map[string]any{"path": "a.ipynb", "ranges": []any{map[string]any{"start": 0}}}), "slept")
	says := do(t, a, "read_nb_cells", map[string]any{"path": "a.ipynb"})
	for _, what := range []string{"one", "two", "three"} {
		has(t, "the room", says, "# mine: "+what, "# theirs: "+what)
		inFile(t, l, "a.ipynb", "# mine: "+what)
		inFile(t, l, "a.ipynb", "# theirs: "+what)
	}
	if len(p.requests(t, "/api/collaboration/room/")) == 0 {
		t.Error("the proxy has cut off nothing")
	}
}
