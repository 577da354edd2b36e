package site_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
)

// TestFromClone runs the README's first command on a machine with only Go and Python, in a fresh clone whose path has
// spaces: it leads to a notebook in a tab that an agent with this build edits.
func TestFromClone(t *testing.T) {
	n := newcomer(t)
	clone := n.clones()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} { // existing downloads and compiled packages
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		must.NoError(t, err)
		n.env = append(n.env, name+"="+strings.TrimSpace(string(value)))
	}
	compiler, err := exec.LookPath("go")
	must.NoError(t, err)
	n.env = append(n.env, "PATH="+filepath.Join(n.home, "bin")+":"+filepath.Dir(compiler)+":/usr/bin:/bin")
	must.NoError(t, os.Remove(n.program()))

	began := time.Now()
	up := n.startOther("make", "-C", clone, "up")
	t.Cleanup(n.interrupt)
	n.says(up, "Ctrl-C stops it")
	server := time.Since(began)
	a := n.client(up, filepath.Join(clone, "bin", "nbduet"))
	p := n.visits(n.address(up))
	n.shares(a, p, "demo.ipynb")
	t.Logf("from a clone to a server: %.1f s, to a shared edit in a tab: %.1f s", server.Seconds(), time.Since(began).Seconds())
	p.Shoot("shared")
	if said := n.asks(a, "execute_nb_cells", map[string]any{"path": "demo.ipynb", "ranges": []map[string]any{{"start": 2, "end": 4}}}); strings.Contains(said, "Error") {
		t.Errorf("the demo's cells answer %s", said)
	}
	must.NoError(t, a.Close())
	n.interrupt()
	code, err := up.Wait(time.Minute)
	must.NoError(t, err)
	test.Eq(t, 0, code)
	if left := n.running(); len(left) > 0 {
		t.Errorf("there still run %v", left)
	}
}

// clones copies the files of the repository into a folder of the newcomer, as a git clone of a commit of them would.
func (n *somebody) clones() string {
	n.t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(n.t, err)
	clone := filepath.Join(n.folder, "nbduet")
	must.NoError(n.t, os.Mkdir(clone, 0o700))
	copying := exec.CommandContext(n.t.Context(), "bash", "-c", `git ls-files -z -co --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -xf - -C "$0"`, clone)
	copying.Dir = root
	if out, err := copying.CombinedOutput(); err != nil {
		n.t.Fatalf("copy the repository: %v\n%s", err, out)
	}
	return clone
}

// interrupt presses Ctrl-C: the signal reaches nbduet, and make waits for it.
func (n *somebody) interrupt() {
	n.t.Helper()
	for pid, line := range n.running() {
		if strings.HasPrefix(line, "bin/nbduet up ") {
			_ = syscall.Kill(pid, syscall.SIGINT) // it may have ended
		}
	}
}
