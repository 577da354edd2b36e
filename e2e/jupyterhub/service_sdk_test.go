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

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
)

// sdkLogsIn lets a client of the MCP SDK for Python log in. It knows only the service's address.
func (o *office) sdkLogsIn(t *testing.T) {
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	python := cmp.Or(os.Getenv("NBDUET_MCP_PYTHON"), filepath.Join(root, ".cache", "mcp", "bin", "python"))
	cmd := exec.CommandContext(t.Context(), python, "-B", "testdata/login.py", o.how.URL, callback)
	var log bytes.Buffer
	cmd.Env, cmd.Stderr = lab.CleanEnv(), &log
	in, err := cmd.StdinPipe()
	must.NoError(t, err)
	out, err := cmd.StdoutPipe()
	must.NoError(t, err)
	must.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	at, err := lines.ReadString('\n')
	if err == nil {
		to, failed := newPerson(t, "ann", o.URL).logsIn(t.Context(), strings.TrimSpace(at))
		must.NoError(t, failed)
		_, err = fmt.Fprintln(in, to)
	}
	tools, _ := lines.ReadString('\n') // an error shows below
	ended := cmd.Wait()
	must.NoError(t, err)
	must.NoError(t, ended)
	test.StrContains(t, tools, "read_nb_cells")
}
