package up

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

//go:embed requirements.txt
var requirements string

// whole is the file that marks a complete environment.
const whole = "nbduet-made-this.txt"

// fetched is the Python that uv fetches if the machine has no suitable one.
const fetched = "3.13"

// A maker makes environments.
type maker struct {
	errs *console.Console
	data string // the folder of the environments
	log  string // the file for the installers' output
	// uv is the program, or "" if it is not installed.
	uv string
	// named is the Python that the user chose, or "" for any.
	named string
}

// environment returns the Python of nbduet's own environment, which it creates if it does not exist.
func (m maker) environment(ctx context.Context) (string, error) {
	base, series, err := m.base(ctx)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(m.data, "jupyter-"+digest(requirements, series))
	free, err := locked(ctx, dir+".lock", func() {
		m.errs.Note("another nbduet up is installing JupyterLab: waiting for it")
	})
	if err != nil {
		return "", err
	}
	defer free()
	if program, ok := wholeIn(ctx, dir); ok {
		return program, nil
	}
	if err := os.RemoveAll(dir); err != nil { // left by a killed process
		return "", fmt.Errorf("remove an incomplete environment: %w", err)
	}
	program, err := m.install(ctx, base, dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, whole), []byte("nbduet up starts this JupyterLab. It can be removed when not running.\n"), 0o600)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return program, nil
}

// wholeIn returns the Python of an environment, if the environment is complete and the Python that made it still exists.
func wholeIn(ctx context.Context, dir string) (string, bool) {
	if _, err := os.Stat(filepath.Join(dir, whole)); err != nil {
		return "", false
	}
	program := inEnvironment(dir)
	if program == "" {
		return "", false
	}
	p, err := newPython(ctx, program)
	return program, err == nil && p.Lab != "" && p.Collab != ""
}

// base returns the Python to create an environment with, and the series of its version.
func (m maker) base(ctx context.Context) (program, series string, err error) {
	names := []string{m.named}
	if m.named == "" {
		names = []string{"python3", "python"}
		for minor := newestPython; minor >= oldestPython; minor-- {
			names = append(names, fmt.Sprintf("python3.%d", minor))
		}
	}
	var wrong []string
	seen := map[[3]int]bool{} // python and python3 are usually the same
	for _, name := range names {
		if m.named == "" {
			if name = inPath(name); name == "" {
				continue
			}
		}
		p, err := newPython(ctx, name)
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		why := ""
		switch {
		case err != nil && m.named == "": // the shims of pyenv and of Windows are not Pythons
		case err != nil:
			why = err.Error()
		case p.tooOld():
			why = fmt.Sprintf("%s is Python %s, which is too old", p.Program, p)
		case p.tooNew():
			why = fmt.Sprintf("%s is Python %s, which is too new", p.Program, p)
		case !p.Venv && m.uv == "":
			why = p.Program + " cannot make environments, because it has no ensurepip (Debian, Ubuntu: apt install python3-venv)"
		default:
			return p.Program, p.series(), nil
		}
		if why != "" && !seen[p.Version] {
			seen[p.Version] = true
			wrong = append(wrong, why)
		}
	}
	if m.uv != "" && m.named == "" {
		return fetched, fetched, nil
	}
	return "", "", noPython(wrong)
}

// noPython returns an error that says what to install.
func noPython(wrong []string) error {
	why := "no Python was found"
	if len(wrong) > 0 {
		why = strings.Join(wrong, "; ")
	}
	return fmt.Errorf("%s. JupyterLab needs Python 3.%d to 3.%d: install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.13; Windows: winget install Python.Python.3.13), name one with --python, or install uv, which brings its own (https://docs.astral.sh/uv)", why, oldestPython, newestPython)
}

// letGo is how long the children of a program may hold its output open after its end.
const letGo = 5 * time.Second

// command returns a program that ends with the context, together with the processes that it has started.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	own(cmd)
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = letGo
	return cmd
}
