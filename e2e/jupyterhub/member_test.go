package jupyterhub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/lab"
)

// member is another member of a notebook's room, made with pycrdt. It belongs to one goroutine.
type member struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	log *bytes.Buffer
}

// join adds a member to a room as a tab does: through the hub's proxy, with a token of the hub.
func join(t *testing.T, address string, token hubs.Token, path string) *member {
	t.Helper()
	var session struct{ FileID, SessionID string }
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address+"/api/collaboration/session/"+url.PathEscape(path),
		strings.NewReader(`{"format":"json","type":"notebook"}`))
	must.NoError(t, err)
	req.Header.Set("Authorization", "token "+token.Secret)
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer res.Body.Close()
	must.NoError(t, json.NewDecoder(res.Body).Decode(&session))

	root, err := lab.RepoRoot()
	must.NoError(t, err)
	python, err := child.Python(root)
	must.NoError(t, err)
	cmd := exec.Command(python, "-B", filepath.Join(root, "e2e", "rooms", "testdata", "peer.py"))
	m := &member{t: t, log: &bytes.Buffer{}}
	cmd.Stderr = m.log
	in, err := cmd.StdinPipe()
	must.NoError(t, err)
	out, err := cmd.StdoutPipe()
	must.NoError(t, err)
	m.in, m.out = in, bufio.NewReader(out)
	must.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("the member of the room: %v\n%s", err, m.log.Bytes())
		}
	})
	room := "ws" + strings.TrimPrefix(address, "http") + "/api/collaboration/room/json:notebook:" + session.FileID + "?sessionId=" + session.SessionID
	m.do(nil, map[string]any{"do": "open", "url": room, "token": token.Secret})
	return m
}

// do sends the member a command and decodes its result.
func (m *member) do(into any, command map[string]any) {
	m.t.Helper()
	command["id"], command["peer"] = 1, "m"
	line, err := json.Marshal(command)
	must.NoError(m.t, err)
	_, err = m.in.Write(append(line, '\n'))
	must.NoError(m.t, err)
	text, err := m.out.ReadBytes('\n')
	if err != nil {
		m.t.Fatalf("a member's answer to %s: %v\n%s", line, err, m.log.Bytes())
	}
	var answer struct {
		Value json.RawMessage
		Error string
	}
	must.NoError(m.t, json.Unmarshal(text, &answer))
	if answer.Error != "" {
		m.t.Fatalf("a member failed at %s: %s", line, answer.Error)
	}
	if into != nil {
		must.NoError(m.t, json.Unmarshal(answer.Value, into))
	}
}

// types inserts text at the beginning of a cell and waits until the room has it.
func (m *member) types(cell int, text string) {
	m.t.Helper()
	m.do(nil, map[string]any{"do": "text", "cell": cell, "at": 0, "del": 0, "ins": text, "flush": true})
}

// sees returns an error unless the room has exactly these sources.
func (m *member) sees(want ...string) error {
	m.t.Helper()
	var cells [][2]string
	m.do(nil, map[string]any{"do": "flush"})
	m.do(&cells, map[string]any{"do": "read"})
	var got []string
	for _, c := range cells {
		got = append(got, c[1])
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the room has %q, want %q", got, want)
	}
	return nil
}
