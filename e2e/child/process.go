package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Process is a program that answers lines of JSON.
type Process struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Start starts a program that runs until [Process.Stop] or the end of ctx.
func Start(ctx context.Context, name string, args ...string) (*Process, error) {
	p := &Process{name: filepath.Base(args[len(args)-1]), cmd: exec.CommandContext(ctx, name, args...)}
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	return p, nil
}

// ErrEnded is matched by the error of a call after the program has ended.
var ErrEnded = errors.New("it has ended")

// Crashed reports whether an error of [Process.Stop] means that the program crashed with a fault that its language
// cannot catch.
func Crashed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGSEGV || status.Signal() == syscall.SIGABRT)
}

// Stop closes the child's input and waits for its exit.
func (p *Process) Stop() error {
	err := errors.Join(p.in.Close(), p.cmd.Wait())
	if err != nil {
		return fmt.Errorf("stop %s: %w\n%s", p.name, err, p.stderr.Bytes())
	}
	return nil
}

// Command is a name and arguments.
type Command []any

// Call sends commands in one line and returns their results.
func (p *Process) Call(commands ...Command) ([]json.RawMessage, error) {
	line, err := json.Marshal(commands)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", p.name, err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("ask %s: %w: %w\n%s", p.name, ErrEnded, err, p.stderr.Bytes())
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("answer of %s: %w: %w\n%s", p.name, ErrEnded, err, p.stderr.Bytes())
	}
	var results []json.RawMessage
	if json.Unmarshal(answer, &results) == nil && len(results) == len(commands) {
		return results, nil
	}
	var fault struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(answer, &fault) != nil || fault.Error == "" {
		return nil, fmt.Errorf("answer of %s: %.200s", p.name, answer)
	}
	return nil, fmt.Errorf("%s failed: %s", p.name, fault.Error)
}

// One sends one command and decodes its result.
func (p *Process) One(result any, c ...any) error {
	results, err := p.Call(c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(results[0], result); err != nil {
		return fmt.Errorf("answer of %s to %v: %w", p.name, c[0], err)
	}
	return nil
}

// Python returns the interpreter with pycrdt: NBDUET_PYTHON, or the one beside NBDUET_JUPYTER, or the one of the virtual
// environment in the folder root.
func Python(root string) (string, error) {
	file := os.Getenv("NBDUET_PYTHON")
	if file == "" {
		if jupyter, err := exec.LookPath(os.Getenv("NBDUET_JUPYTER")); err == nil {
			file = filepath.Join(filepath.Dir(jupyter), "python")
		} else {
			file = filepath.Join(root, ".venv", "bin", "python")
		}
	}
	found, err := exec.LookPath(file)
	if err != nil {
		return "", fmt.Errorf("the Python with pycrdt is missing: make venv, or set NBDUET_PYTHON: %w", err)
	}
	return found, nil
}
