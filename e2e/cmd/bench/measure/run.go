// Package measure counts the tokens (o200k) of the answers of nbduet and of Datalayer's jupyter-mcp-server, and writes,
// reads and compares the comparison table of README.md.
//
// Concurrency: the functions keep no state.
package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/nbduet/nbduet/e2e/answers"
	"github.com/nbduet/nbduet/e2e/lab"
)

// datalayerVariable names the environment variable with the jupyter-mcp-server to run instead of the one in
// .cache/datalayer.
const datalayerVariable = "NBDUET_DATALAYER"

// Result is the result of Run.
type Result struct {
	version       string // of jupyter-mcp-server
	answers, task []line
}

// String returns the tables, with notes below each.
func (r Result) String() string {
	return table("Answers", r.answers) + "\n" + table("The whole of the demo's task", r.task)
}

// Run starts a JupyterLab, the nbduet in the file binary and jupyter-mcp-server, and measures both. It writes the texts
// of all answers to record, unless that is nil. Run leaves no process behind.
func Run(ctx context.Context, binary string, record io.Writer) (r Result, err error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return r, err
	}
	other, err := datalayerProgram(root)
	if err != nil {
		return r, err
	}
	jupyter, err := lab.Start(ctx, lab.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, jupyter.Stop()) }()
	if err := putNotebooks(jupyter, root); err != nil {
		return r, err
	}
	ours, err := start(ctx, "nbduet", binary, nil, append(jupyter.ClientEnv(),
		"JUPYTER_SERVER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token, "NBDUET_STATE=:memory:"))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ours.close()) }()
	theirs, err := start(ctx, "Datalayer", other, []string{"start", "--transport=stdio", "--start-new-code-sandbox=false"},
		append(jupyter.ClientEnv(), "JUPYTER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, theirs.close()) }()
	ours.record, theirs.record = record, record
	r.version = theirs.version
	if r.answers, err = measure(ctx, jupyter, ours, theirs); err == nil {
		r.task, err = measureTask(ctx, jupyter, ours, theirs)
	}
	if err != nil {
		return r, fmt.Errorf("%w\nthe end of the log of Datalayer's server:\n%s", err, tail(theirs.process.Log()))
	}
	return r, nil
}

// sides are the folders of the two servers.
var sides = []string{"nbduet", "datalayer"}

// datalayerProgram is the path of jupyter-mcp-server.
func datalayerProgram(root string) (string, error) {
	name := os.Getenv(datalayerVariable)
	if name == "" {
		name = filepath.Join(root, ".cache", "datalayer", "bin", "jupyter-mcp-server")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no jupyter-mcp-server: run `make venv-datalayer`, or name another one with %s: %w", datalayerVariable, err)
	}
	return path, nil
}

// putNotebooks gives each server the notebooks.
func putNotebooks(jupyter *lab.Lab, root string) error {
	fixed, err := answers.Fixed()
	if err != nil {
		return err
	}
	bare, err := answers.Bare()
	if err != nil {
		return err
	}
	worked, err := scratch()
	if err != nil {
		return err
	}
	demo, err := os.ReadFile(filepath.Join(root, "e2e", "testdata", taskName))
	if err != nil {
		return fmt.Errorf("read the demo's notebook: %w", err)
	}
	for _, side := range sides {
		if err := os.Mkdir(jupyter.Path(side), 0o700); err != nil {
			return fmt.Errorf("give the notebooks to %s: %w", side, err)
		}
		for name, content := range map[string][]byte{fixedName: fixed, bareName: bare, scratchName: worked, taskName: demo} {
			if err := os.WriteFile(jupyter.Path(side+"/"+name), content, 0o600); err != nil {
				return fmt.Errorf("give the notebooks to %s: %w", side, err)
			}
		}
	}
	return nil
}
