package rooms_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// foreign is a process with other programs in notebooks' rooms: testdata/peer.py (pycrdt) or ../node/room_peer.mjs
// (yjs). It serves any number of them.
type foreign struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	ends chan struct{} // closed at the end of its output

	mu      sync.Mutex
	asked   int
	waiting map[int]chan foreignAnswer
}

type foreignAnswer struct {
	ID    int             `json:"id"`
	Value json.RawMessage `json:"value"`
	Error string          `json:"error"`
}

// All tests share the processes, and the first test that needs one starts it: Python takes more than a second to load
// the libraries of peer.py.
var (
	pycrdt = sync.OnceValues(func() (*foreign, error) {
		return startForeign(python(), filepath.Join("testdata", "peer.py"))
	})
	yjs = sync.OnceValues(func() (*foreign, error) {
		return startForeign("node", filepath.Join("..", "node", "room_peer.mjs"))
	})
)

// process returns one of the shared processes.
func process(t *testing.T, start func() (*foreign, error)) *foreign {
	t.Helper()
	f, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// started are the running processes.
var started struct {
	sync.Mutex
	all []*foreign
}

// endForeign ends the processes after the tests.
func endForeign() {
	started.Lock()
	defer started.Unlock()
	for _, f := range started.all {
		f.end()
	}
}

func startForeign(program string, args ...string) (*foreign, error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &foreign{cmd: cmd, in: in, ends: make(chan struct{}), waiting: make(map[int]chan foreignAnswer)}
	go f.listen(out)
	started.Lock()
	defer started.Unlock()
	started.all = append(started.all, f)
	return f, nil
}

func (f *foreign) end() {
	_ = f.in.Close() // which ends the process
	select {
	case <-f.ends:
	case <-time.After(10 * time.Second):
		_ = f.cmd.Process.Kill()
		<-f.ends
	}
	_ = f.cmd.Wait()
}

// listen passes each answer to its caller.
func (f *foreign) listen(out io.Reader) {
	defer close(f.ends)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var a foreignAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			continue // the caller reports it
		}
		f.mu.Lock()
		c := f.waiting[a.ID]
		delete(f.waiting, a.ID)
		f.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

// do sends the process one command and waits for its answer.
func (f *foreign) do(ctx context.Context, command map[string]any) (json.RawMessage, error) {
	answer := make(chan foreignAnswer, 1)
	f.mu.Lock()
	f.asked++
	command["id"] = f.asked
	f.waiting[f.asked] = answer
	b, err := json.Marshal(command)
	if err == nil {
		_, err = f.in.Write(append(b, '\n'))
	}
	f.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("tell another program %v: %w", command["do"], err)
	}
	select {
	case a := <-answer:
		if a.Error != "" {
			return nil, fmt.Errorf("another program failed at %s: %s", b, a.Error)
		}
		return a.Value, nil
	case <-f.ends:
		return nil, fmt.Errorf("another program ended at %s", b)
	case <-ctx.Done():
		return nil, fmt.Errorf("another program does not answer to %s: %w", b, ctx.Err())
	}
}

// validate checks a notebook file against the schema of nbformat.
func (f *foreign) validate(ctx context.Context, file string) error {
	_, err := f.do(ctx, map[string]any{"do": "validate", "file": file})
	return err
}

// foreignPeer is one program of a process.
type foreignPeer struct {
	f    *foreign
	name string
	away bool
}

func (p *foreignPeer) do(ctx context.Context, command map[string]any) (json.RawMessage, error) {
	command["peer"] = p.name
	return p.f.do(ctx, command)
}

// open lets the program join d's room.
func (p *foreignPeer) open(ctx context.Context, s *jupytertest.Server, a *agent, d *session.Document) error {
	infos := a.Sessions(d.Path())
	if len(infos) != 1 {
		return fmt.Errorf("%d sessions of %s", len(infos), d.Path())
	}
	p.away = false
	url := "ws" + strings.TrimPrefix(s.URL, "http") + "/api/collaboration/room/json:notebook:" + d.FileID() + "?sessionId=" + infos[0].SessionID
	_, err := p.do(ctx, map[string]any{"do": "open", "url": url, "token": s.Token})
	return err
}

// travel makes the program disconnect or reconnect.
func (p *foreignPeer) travel(ctx context.Context) error {
	do := "away"
	if p.away {
		do = "back"
	}
	p.away = !p.away
	_, err := p.do(ctx, map[string]any{"do": do})
	return err
}

// flush waits until the room has all of the program's edits, and the program has the room's content of that moment.
func (p *foreignPeer) flush(ctx context.Context) error {
	_, err := p.do(ctx, map[string]any{"do": "flush"})
	return err
}

// read returns each cell as "id source", in order.
func (p *foreignPeer) read(ctx context.Context) ([]string, error) {
	b, err := p.do(ctx, map[string]any{"do": "read"})
	if err != nil {
		return nil, err
	}
	var pairs [][2]string
	if err := json.Unmarshal(b, &pairs); err != nil {
		return nil, fmt.Errorf("read another program's notebook: %w", err)
	}
	var all []string
	for _, c := range pairs {
		all = append(all, c[0]+" "+c[1])
	}
	return all, nil
}
