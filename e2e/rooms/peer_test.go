package rooms_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// pycrdtPeer is a process of testdata/peer.py.
type pycrdtPeer struct {
	in  io.Writer
	out *bufio.Scanner
}

func startPeer(t *testing.T) *pycrdtPeer {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python(), filepath.Join("testdata", "peer.py"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // killed by the end of the test's context
	})
	p := &pycrdtPeer{in: in, out: bufio.NewScanner(out)}
	p.out.Buffer(nil, 1<<24)
	return p
}

// do gives the peer one command and takes its answer.
func (p *pycrdtPeer) do(t *testing.T, command map[string]any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		t.Fatalf("tell a peer %s: %v", b, err)
	}
	if !p.out.Scan() {
		t.Fatalf("a peer ended at %s: %v", b, p.out.Err())
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
		Error string          `json:"error"`
	}
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil || answer.Error != "" {
		t.Fatalf("a peer failed at %s: %v\n%s", b, err, answer.Error)
	}
	return answer.Value
}

// read gives each cell as "id source", in order.
func (p *pycrdtPeer) read(t *testing.T) []string {
	t.Helper()
	var pairs [][2]string
	if err := json.Unmarshal(p.do(t, map[string]any{"do": "read"}), &pairs); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range pairs {
		all = append(all, c[0]+" "+c[1])
	}
	return all
}

// open lets the peer join a notebook's room.
func (p *pycrdtPeer) open(t *testing.T, a *agent, s *jupytertest.Server, path string) {
	t.Helper()
	c, err := a.Server().CollaborationSession(t.Context(), path, "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	url := "ws" + strings.TrimPrefix(s.URL, "http") + "/api/collaboration/room/" + c.RoomID() + "?sessionId=" + c.SessionID
	p.do(t, map[string]any{"do": "open", "url": url, "token": s.Token})
}
