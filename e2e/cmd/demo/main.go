// Command demo shows an agent at work in a notebook: it starts JupyterLab with a copy of the demo notebook and nbduet as
// an MCP client would, and works through a script while a person watches in a browser.
//
// On a terminal it waits for the person and stays until Ctrl-C. Elsewhere it checks the notebook's file at the end; the
// exit code is 1 if a part is missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
)

// notebook is the name of the notebook's copy in JupyterLab's folder.
const notebook = "demo.ipynb"

func main() {
	binary := flag.String("nbduet", "", "the nbduet to run; default is bin/nbduet of this repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *binary)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// run runs the whole demo. It leaves no process behind.
func run(ctx context.Context, binary string) (err error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return err
	}
	if binary == "" {
		binary = filepath.Join(root, "bin", "nbduet")
	}
	watched := term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))

	say("Starting JupyterLab …")
	jupyter, err := lab.Start(ctx, lab.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, jupyter.Stop()) }()
	original, err := os.ReadFile(filepath.Join(root, "e2e", "testdata", notebook))
	if err != nil {
		return err
	}
	file := jupyter.Path(notebook)
	if err := os.WriteFile(file, original, 0o600); err != nil {
		return err
	}
	say("Open this address to watch:\n\n    %s/lab/tree/%s?token=%s\n", jupyter.URL, notebook, jupyter.Token)
	if watched {
		if err := waitForPerson(ctx); err != nil {
			return err
		}
	}

	say("Starting nbduet, connected by MCP over stdio …")
	nbduet, err := agent.Start(ctx, agent.Options{
		Binary: binary,
		Env:    append(jupyter.ClientEnv(), "JUPYTER_SERVER_URL="+jupyter.URL, "JUPYTER_TOKEN="+jupyter.Token),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, nbduet.Close()) }()

	pause := time.Duration(0)
	if watched {
		pause = 2 * time.Second
	}
	if err := perform(ctx, nbduet, pause); err != nil {
		return fmt.Errorf("%w\nthe end of the log of nbduet:\n%s", err, nbduet.Log())
	}
	if err := checkFile(ctx, file); err != nil {
		return err
	}
	say("The file on disk holds all of it.")
	if watched {
		say("JupyterLab stays until you press Ctrl-C.")
		<-ctx.Done()
		say("")
	}
	return nil
}

// waitForPerson gives a person time to open the address.
func waitForPerson(ctx context.Context) error {
	const limit = 60 * time.Second
	say("Press Enter when you see the notebook; without, it begins in a minute.")
	entered := make(chan struct{})
	go func() { // ends with the program if no key is pressed
		defer close(entered)
		_, _ = os.Stdin.Read(make([]byte, 256))
	}()
	select {
	case <-entered:
	case <-time.After(limit):
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// say prints a line for the person.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
