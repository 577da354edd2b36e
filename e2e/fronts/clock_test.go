package fronts

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
)

// wrongTime matches a time that is negative or longer than this test takes.
var wrongTime = regexp.MustCompile(`\d+ ?(min|m|h)[0-9s]* ago|-\d[\d.]* ?(s|ms|min|m|h)\b|took -|took \d+m\d|"seconds_ago":-`)

// If the clock of the server and its kernels is ten minutes off, everything works, and the answers' ages and durations
// are right.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	shim := filepath.Join(t.TempDir(), "clock.so")
	if said, err := exec.Command("cc", "-shared", "-fPIC", "-o", shim, filepath.Join(root, "e2e", "fronts", "testdata", "clock.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for name, by := range map[string]time.Duration{"fast": 10 * time.Minute, "slow": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := jupyter(t, lab.Options{Env: []string{"LD_PRELOAD=" + shim, fmt.Sprintf("CLOCK_OFFSET=%d", int(by.Seconds()))}})
			apart(t, l, by)
		})
	}
}

// apart works on a server whose clock is off.
func apart(t *testing.T, l *lab.Lab, by time.Duration) {
	a, b := start(t, l, l.URL, "JUPYTER_TOKEN="+l.Token), start(t, l, l.URL, "JUPYTER_TOKEN="+l.Token)
	work(t, a, l, "a.ipynb")
	type args = map[string]any
	path := args{"path": "a.ipynb"}
	ask := func(a *agent.Agent, tool string, args args) string {
		says := do(t, a, tool, args)
		if wrong := wrongTime.FindString(says); wrong != "" {
			t.Errorf("%s says %q: %s", tool, wrong, says)
		}
		return says
	}
	revision := regexp.MustCompile(`revision (\w+)`).FindStringSubmatch(ask(b, "read_nb_cells", path))
	if revision == nil {
		t.Fatal("no revision was told")
	}
	add(t, a, "a.ipynb", "import time\ntime.sleep(1.5)\nprint(int(time.time()))")
	ran := ask(a, "execute_nb_cells", args{"path": "a.ipynb", "ranges": []any{args{"start": 0}}})
	told := regexp.MustCompile(`(?m)^\s*(\d{10})$`).FindStringSubmatch(ran)
	if told == nil {
		t.Fatalf("the run printed no time: %s", ran)
	}
	clock, err := time.ParseDuration(told[1] + "s")
	must.NoError(t, err)
	if off := clock - time.Duration(time.Now().Unix())*time.Second - by; off.Abs() > time.Minute {
		t.Fatalf("the clock is off by %s more than it should be", off)
	}
	has(t, "the change", ask(b, "changes_since", args{"path": "a.ipynb", "revision": revision[1]}), "added", "s ago")
	has(t, "who is there", ask(b, "look_around", path), "agent "+agent.Client)
	has(t, "the runs", ask(a, "list_runs", nil), "done", "took 1")
	has(t, "the steps", ask(a, "list_agent_edits", path), "s ago")
	for tool, args := range map[string]args{
		"watch_runs": nil, "get_nb_stat": path, "list_files": nil, "list_nbs": nil, "query_nb_sessions": nil, "session_list": nil, "inspect_data": path,
	} {
		ask(a, tool, args)
	}
	inFile(t, l, "a.ipynb", "time.sleep(1.5)")
	has(t, "the end", ask(a, "end_nb_session", path), "ended successfully")
	has(t, "the notebook", ask(a, "read_nb_cells", path), "6 * 7", told[1])
}

// The error for a certificate that begins in ten minutes says that it is not valid yet and to check this clock.
func TestCertificateAhead(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t, time.Now().Add(10*time.Minute))
	pair, err := tls.LoadX509KeyPair(ca.cert, ca.key)
	must.NoError(t, err)
	hs := httptest.NewUnstartedServer(http.NotFoundHandler())
	hs.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	hs.Config.ErrorLog = log.New(io.Discard, "", 0)
	hs.StartTLS()
	defer hs.Close()
	refused(t, start(t, nil, hs.URL, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_TOKEN=t0123456789abcdef0"), "list_files", nil,
		"has expired or is not valid yet", "check the clock of this machine")
}
