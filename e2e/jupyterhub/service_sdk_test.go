package jupyterhub

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/lab"
)

// sdkLogsIn has a client of the MCP SDK for Python log in, which knows no more of the service than its address.
func (o *office) sdkLogsIn(t *testing.T) {
	root, err := lab.RepoRoot()
	must(t, err)
	python := cmp.Or(os.Getenv("NBDUET_MCP_PYTHON"), filepath.Join(root, ".cache", "mcp", "bin", "python"))
	cmd := exec.CommandContext(t.Context(), python, "-B", "testdata/login.py", o.how.URL, callback)
	var log bytes.Buffer
	cmd.Env, cmd.Stderr = lab.CleanEnv(), &log
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewReader(out)
	at, err := lines.ReadString('\n')
	if err == nil {
		to, failed := newPerson(t, "ann", o.URL).logsIn(t.Context(), strings.TrimSpace(at))
		must(t, failed)
		_, err = fmt.Fprintln(in, to)
	}
	tools, _ := lines.ReadString('\n') // what is missing shows below
	if ended := cmd.Wait(); err != nil || ended != nil || !strings.Contains(tools, "read_nb_cells") {
		t.Errorf("%v, %v, tools %q: %s", err, ended, tools, &log)
	}
}
