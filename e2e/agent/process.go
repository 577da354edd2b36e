package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Options say how the program is started.
type Options struct {
	// Binary is the path of the program.
	Binary string
	// Args are its arguments.
	Args []string
	// Env is its whole environment; nil means this process's environment.
	Env []string
	// Words leaves the answers in words, as models get them; otherwise they are JSON, which [Agent.Do] decodes.
	Words bool
	// Protocol is the MCP revision to request; empty means the newest. A revision before 2026-07-28 begins with
	// `initialize`.
	Protocol string
	// Client is the client's name; empty means [Client]. Only for Start.
	Client string
	// Elicit, if not nil, answers the program's questions to the user: it gets the message and returns the line to
	// answer with. Without it the client does not offer elicitation. Only for Start.
	Elicit func(ctx context.Context, message string) (string, error)
	// Stderr, if not nil, gets a copy of the program's log.
	Stderr io.Writer
}

// Process is a running program with its standard streams.
type Process struct {
	// Stdin is the program's input. Closing it asks the program to end.
	Stdin io.WriteCloser
	// Stdout is the program's output, recorded as it is read.
	Stdout io.Reader

	cmd    *exec.Cmd
	pipe   *os.File // the reading end behind Stdout
	out    *Record
	err    *Record
	exited chan struct{}
	status error
}

// Spawn starts the program. The caller must read Stdout to its end.
func Spawn(opt Options) (*Process, error) {
	p := &Process{
		cmd:    exec.Command(opt.Binary, opt.Args...),
		out:    &Record{},
		err:    &Record{},
		exited: make(chan struct{}),
	}
	if p.cmd.Env = opt.Env; !opt.Words {
		p.cmd.Env = append(p.cmd.Environ(), "NBDUET_ANSWERS=json")
	}
	p.cmd.Stderr = p.err
	if opt.Stderr != nil {
		p.cmd.Stderr = io.MultiWriter(p.err, opt.Stderr)
	}
	var err error
	if p.Stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", opt.Binary, err)
	}
	// Our own pipe: Wait closes exec's StdoutPipe, which would cut off the program's last output.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", opt.Binary, err)
	}
	p.cmd.Stdout = write
	p.pipe = read
	p.Stdout = io.TeeReader(&closeAtEOF{read}, p.out)
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", opt.Binary, err), read.Close(), write.Close())
	}
	if err := write.Close(); err != nil { // the program has its own copy
		return nil, fmt.Errorf("start %s: %w", opt.Binary, err)
	}
	go func() {
		defer close(p.exited)
		p.status = p.cmd.Wait()
	}()
	return p, nil
}

// closeAtEOF closes the pipe's reading end at EOF.
type closeAtEOF struct{ file *os.File }

// Read implements io.Reader.
func (r *closeAtEOF) Read(b []byte) (int, error) {
	n, err := r.file.Read(b)
	if errors.Is(err, io.EOF) {
		if closing := r.file.Close(); closing != nil {
			return n, closing
		}
	}
	return n, err // unwrapped: readers compare with io.EOF
}

// Exited is closed when the program has ended and its log is complete.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Signal sends a signal to the program.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// Wait waits at most limit for the program to exit and returns its exit code, or -1 if a signal ended it.
func (p *Process) Wait(limit time.Duration) (int, error) {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("%s still runs after %s", p.cmd.Path, limit)
	}
}

// Kill kills the program and waits for its exit.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.exited
}

// CloseOutput closes the reading end of the program's output, as the end of a client's process does. Stdout must not be
// read afterwards.
func (p *Process) CloseOutput() error { return p.pipe.Close() }

// Output returns the bytes read from the program's standard output so far.
func (p *Process) Output() []byte { return p.out.Bytes() }

// Log returns the program's standard error so far.
func (p *Process) Log() string { return string(p.err.Bytes()) }

// Record keeps everything written to it. It is safe for concurrent use.
type Record struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (r *Record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(b)
}

// Bytes returns a copy of everything written so far.
func (r *Record) Bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.buf.Bytes())
}
