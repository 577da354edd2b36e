package ydiff

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
)

// process is a child that answers lines of JSON. It belongs to one goroutine.
type process struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// startProcess starts a child that runs until stop or the end of ctx.
func startProcess(ctx context.Context, name string, args ...string) (*process, error) {
	p := &process{name: filepath.Base(args[len(args)-1]), cmd: exec.CommandContext(ctx, name, args...)}
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

// stop ends the child by ending its input, and waits for it.
func (p *process) stop() error {
	err := errors.Join(p.in.Close(), p.cmd.Wait())
	if err != nil {
		return fmt.Errorf("stop %s: %w\n%s", p.name, err, p.stderr.Bytes())
	}
	return nil
}

// command is a name, a document, and arguments.
type command []any

// call sends commands in one line and returns their results.
func (p *process) call(commands ...command) ([]json.RawMessage, error) {
	line, err := json.Marshal(commands)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", p.name, err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("ask %s: %w\n%s", p.name, err, p.stderr.Bytes())
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("answer of %s: %w\n%s", p.name, err, p.stderr.Bytes())
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

// one sends one command and decodes its result.
func (p *process) one(result any, c ...any) error {
	results, err := p.call(c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(results[0], result); err != nil {
		return fmt.Errorf("answer of %s to %v: %w", p.name, c[0], err)
	}
	return nil
}

// python is the interpreter with pycrdt.
func python() (string, error) {
	file := os.Getenv("NBDUET_PYTHON")
	if file == "" {
		if jupyter, err := exec.LookPath(os.Getenv("NBDUET_JUPYTER")); err == nil {
			file = filepath.Join(filepath.Dir(jupyter), "python")
		} else {
			file = filepath.Join("..", "..", ".venv", "bin", "python")
		}
	}
	found, err := exec.LookPath(file)
	if err != nil {
		return "", fmt.Errorf("the Python with pycrdt is missing: make venv, or set NBDUET_PYTHON: %w", err)
	}
	return found, nil
}

// foreign is one Node and one Python process.
type foreign struct{ node, python *process }

func startForeign(ctx context.Context) (*foreign, error) {
	interpreter, err := python()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join("..", "node", "node_modules", "yjs")); err != nil {
		return nil, fmt.Errorf("yjs is missing: make node: %w", err)
	}
	var f foreign
	if f.node, err = startProcess(ctx, "node", filepath.Join("..", "node", "yjs_peer.mjs")); err != nil {
		return nil, err
	}
	if f.python, err = startProcess(ctx, interpreter, "-B", filepath.Join("..", "python", "pycrdt_peer.py")); err != nil {
		return nil, errors.Join(err, f.node.stop())
	}
	return &f, nil
}

func (f *foreign) stop() error { return errors.Join(f.node.stop(), f.python.stop()) }
