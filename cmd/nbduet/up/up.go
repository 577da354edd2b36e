package up

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
	"github.com/nbduet/nbduet/cmd/nbduet/labextension"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Up is the command line of nbduet up.
type Up struct {
	NoBrowser bool   `name:"no-browser" help:"Open no browser."`
	Port      int    `name:"port" placeholder:"N" help:"Port of the server. Default: a free one."`
	Python    string `name:"python" env:"NBDUET_PYTHON" placeholder:"PROGRAM" help:"Python whose JupyterLab is started or, if it has no suitable one, that creates an environment for one."`
	Own       bool   `name:"own" help:"Start the JupyterLab of nbduet's own environment, even if there is another."`
}

// Machine is the environment of the command.
type Machine struct {
	Data    string              // the user's folder for nbduet's installations
	State   string              // the user's folder for nbduet's logs and locks
	Version string              // the program's
	Env     func(string) string // looks up a variable
	// Lines returns the commands that connect AI clients to this program, one for each client.
	Lines func() []string
	// Self is the command that starts this program, quoted for a shell.
	Self string
	// Note is the last line of the output, or "".
	Note string
}

func usage(format string, args ...any) error {
	return options.UsageError{Err: fmt.Errorf(format, args...)}
}

// Run starts JupyterLab for the folder or notebook in args, by default the working directory. It returns when ctx and the
// server have ended. If such a server is already running, Run only prints its address. It writes the result to out and its
// progress to errs.
func (u Up) Run(ctx context.Context, args []string, m Machine, out, errs io.Writer) error {
	folder, notebook, err := target(args)
	if err != nil {
		return err
	}
	if u.Port < 0 || u.Port > 65535 {
		return usage("--port: %d is not a port", u.Port)
	}
	if u.Python != "" {
		if u.Python, err = programOf(u.Python); err != nil {
			return usage("--python: %w", err)
		}
	}
	token := cmp.Or(m.Env("JUPYTER_TOKEN"), rand.Text())
	if _, err := jupyter.New(jupyter.Options{URL: "http://localhost", Token: token}); err != nil {
		return usage("%w", err)
	}
	for _, dir := range []string{m.Data, m.State} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("create nbduet's folder: %w", err)
		}
	}
	ctx, stops := listen(ctx)
	defer stops.forget()
	j := job{Up: u, machine: m, folder: folder, notebook: notebook, token: token, out: console.New(out), errs: console.New(errs)}
	s, err := j.begin(ctx)
	switch {
	case ctx.Err() != nil && s == nil:
		j.errs.Note("stopped: nothing is left running")
		return nil
	case err != nil || s == nil:
		return err
	}
	return j.wait(ctx, s, stops.hurry)
}

// target returns the folder that the arguments name, without symbolic links, and the notebook in it, or "".
func target(args []string) (folder, notebook string, err error) {
	name := "."
	switch len(args) {
	case 0:
	case 1:
		name = args[0]
	default:
		return "", "", usage("%d folders were named, but a server has one: name their common folder", len(args))
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", "", usage("no such folder or notebook: %s: create it first", name)
	case err != nil:
		return "", "", usage("read the folder: %w", err)
	case filepath.Ext(name) == ".ipynb" && !info.IsDir():
		name, notebook = filepath.Split(name)
	case !info.IsDir():
		return "", "", usage("%s is neither a folder nor a notebook: name the folder that it is in", name)
	}
	folder, err = resolved(name)
	return folder, notebook, err
}

func resolved(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("find the folder: %w", err)
	}
	return path, nil
}

// A job is one run of the command.
type job struct {
	Up
	machine   Machine
	folder    string
	notebook  string // in the folder, or ""
	token     string
	out, errs *console.Console
}

// begin starts the server of the folder. It returns nil if one is already running.
func (j job) begin(ctx context.Context) (*server, error) {
	named := filepath.Join(j.machine.State, "up-"+digest(j.folder))
	free, err := locked(ctx, named+".lock", func() {
		j.errs.Note("another nbduet up is starting a server for this folder: waiting for it")
	})
	if err != nil {
		return nil, err
	}
	defer free()
	running, err := runningIn(ctx, j.folder, func(jupyter.Running) bool { return true })
	if err != nil {
		return nil, err
	}
	browser := !j.NoBrowser && hasDisplay(runtime.GOOS, j.machine.Env)
	if running != nil {
		j.out.Good("JupyterLab already runs for %s", j.out.Strong(j.folder))
		j.tell(*running, "")
		if browser {
			return nil, j.openBrowser(named+".html", *running)
		}
		return nil, nil
	}
	if j.Port != 0 {
		if err := isFree(ctx, j.Port); err != nil {
			return nil, err
		}
	}
	python, err := j.jupyter(ctx)
	if err != nil {
		return nil, err
	}
	root := os.Geteuid() == 0
	if root {
		j.errs.Note("running as root: notebooks run as root, too")
	}
	extensions := filepath.Join(j.machine.Data, "labextensions", j.machine.Version) // a running server keeps its version
	if err := labextension.Write(extensions, j.machine.Version); err != nil {
		return nil, err
	}
	j.errs.Note("starting JupyterLab; its log:")
	j.errs.Line("  %s", j.errs.Faint(named+".log"))
	s, err := start{python: python, folder: j.folder, notebook: j.notebook, log: named + ".log", token: j.token, port: j.Port, browser: browser, root: root, extensions: extensions}.server(ctx)
	if err != nil {
		return nil, err
	}
	j.out.Good("JupyterLab runs for %s", j.out.Strong(j.folder))
	j.tell(s.running, ", in another terminal")
	j.out.Line("\n%s", j.out.Strong("Ctrl-C stops it and its kernels."))
	return s, nil
}

// tell prints how people and clients reach a server. It shows the token only on a terminal: another output may be a log that
// others read.
func (j job) tell(r jupyter.Running, where string) {
	address := j.page(r)
	if j.out.Terminal() && r.Token != "" {
		j.out.Line("\n  %s", j.out.Strong(withToken(address, r.Token)))
		j.out.Line("  %s", j.out.Faint("Keep that address secret: anyone who has it can run code as you."))
	} else {
		j.out.Line("\n  %s", address)
		if file := fileOf(r); file != "" && r.Token != "" {
			j.out.Line("  Its token is in %s", file)
		}
	}
	lines := j.machine.Lines()
	if len(lines) == 0 {
		j.out.Line("\nTo connect an AI client%s:\n", where)
		lines = []string{j.machine.Self + " config --list", j.machine.Self + " config CLIENT --write"}
	} else {
		j.out.Line("\nOnce for each AI client%s:\n", where)
	}
	for _, line := range lines {
		j.out.Line("  %s", line)
	}
	if j.machine.Note != "" {
		j.out.Line("\n%s", j.machine.Note)
	}
}

// page returns the address of JupyterLab, or of the notebook in it.
func (j job) page(r jupyter.Running) string {
	address := r.URL + "/lab"
	if j.notebook != "" {
		address += "/tree/" + url.PathEscape(j.notebook)
	}
	return address
}

// wait waits for the context to end, and then ends the server, or for the server to end by itself.
func (j job) wait(ctx context.Context, s *server, hurry <-chan struct{}) error {
	select {
	case <-s.ended:
		if s.status == nil { // a person has shut it down, from its menu
			j.errs.Note("JupyterLab has ended")
			return nil
		}
		return fmt.Errorf("JupyterLab: %w", s.died())
	case <-ctx.Done():
	}
	j.errs.Line("")
	j.errs.Note("stopping JupyterLab and its kernels (Ctrl-C again: at once)")
	if err := s.end(hurry); err != nil {
		return err
	}
	j.errs.Good("ended")
	return nil
}
