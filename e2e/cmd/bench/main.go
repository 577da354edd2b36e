// Command bench counts what a model pays for the answers of nbduet, in tokens of o200k, beside those of Datalayer's
// jupyter-mcp-server and beside what the answers are about, and prints a table.
//
// It starts one JupyterLab and both servers as an MCP client does, over stdio and with what each does unless told
// otherwise, and gives each the same notebooks under names of their own. What is counted are all texts of an answer; pictures,
// structured content, and in the first table what the model itself writes to call a tool, are not. Notes under the table say which calls were
// made. A second table has what a whole piece of work costs, that of the demo, with the list of tools and with what the
// model writes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/nbduet/nbduet/e2e/answers"
	"github.com/nbduet/nbduet/e2e/lab"
)

// datalayerVariable names the environment variable that says which jupyter-mcp-server to run in place of the one in
// .cache/datalayer.
const datalayerVariable = "NBDUET_DATALAYER"

func main() {
	binary := flag.String("nbduet", "", "the nbduet to run; default is bin/nbduet of this repository")
	record := flag.String("answers", "", "a file to write the texts of all answers to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *binary, *record)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is the whole bench, with the answers recorded in a file if record names one. It leaves no process behind.
func run(ctx context.Context, binary, record string) (err error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return err
	}
	if binary == "" {
		binary = filepath.Join(root, "bin", "nbduet")
	}
	other, err := datalayerProgram(root)
	if err != nil {
		return err
	}
	jupyter, err := lab.Start(ctx, lab.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, jupyter.Stop()) }()
	if err := putNotebooks(jupyter, root); err != nil {
		return err
	}
	ours, err := start(ctx, "nbduet", binary, nil, append(jupyter.ClientEnv(),
		"JUPYTER_SERVER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token, "NBDUET_STATE=:memory:"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.close()) }()
	theirs, err := start(ctx, "Datalayer", other, []string{"start", "--transport=stdio", "--start-new-code-sandbox=false"},
		append(jupyter.ClientEnv(), "JUPYTER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.close()) }()
	if record != "" {
		file, failed := os.Create(record)
		if failed != nil {
			return fmt.Errorf("record the answers: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		ours.record, theirs.record = file, file
	}
	lines, err := measure(ctx, jupyter, ours, theirs)
	if err != nil {
		return fmt.Errorf("%w\nthe end of the log of Datalayer's server:\n%s", err, tail(theirs.process.Log()))
	}
	fmt.Println(table("Answers", lines))
	if lines, err = measureTask(ctx, jupyter, ours, theirs); err != nil {
		return fmt.Errorf("%w\nthe end of the log of Datalayer's server:\n%s", err, tail(theirs.process.Log()))
	}
	fmt.Print(table("The whole of the demo's task", lines))
	return nil
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
