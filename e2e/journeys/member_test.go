package journeys

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// member is a member of a notebook's room, made with pycrdt: it sees the room's content and types as a person does.
type member struct {
	t    *testing.T
	name string
}

// roomCell is a cell in the room.
type roomCell struct {
	ID             string          `json:"id"`
	Source         string          `json:"source"`
	Outputs        []nbfile.Output `json:"outputs"`
	ExecutionCount *float64        `json:"execution_count"`
	ExecutionState string          `json:"execution_state"`
}

// join adds a member to the room of a server's notebook.
func join(t *testing.T, server *lab.Lab, path string) *member {
	t.Helper()
	var session struct{ FileID, SessionID string }
	at := server.URL + "/api/collaboration/session/" + url.PathEscape(path)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, at, strings.NewReader(`{"format":"json","type":"notebook"}`))
	must.NoError(t, err)
	req.Header.Set("Authorization", "token "+server.Token)
	res, err := http.DefaultClient.Do(req)
	must.NoError(t, err)
	defer res.Body.Close()
	must.NoError(t, json.NewDecoder(res.Body).Decode(&session))
	m := &member{t, t.Name() + " " + path}
	room := "ws" + strings.TrimPrefix(server.URL, "http") + "/api/collaboration/room/json:notebook:" + session.FileID + "?sessionId=" + session.SessionID
	m.do(nil, map[string]any{"do": "open", "url": room, "token": server.Token})
	t.Cleanup(func() { m.do(nil, map[string]any{"do": "close"}) })
	return m
}

// do sends the member a command and decodes its result.
func (m *member) do(into any, command map[string]any) {
	m.t.Helper()
	command["peer"] = m.name
	must.NoError(m.t, tell(into, command))
}

// cells returns the room's cells.
func (m *member) cells() (list []roomCell) {
	m.t.Helper()
	m.do(nil, map[string]any{"do": "flush"})
	m.do(&list, map[string]any{"do": "cells"})
	return list
}

// types inserts text into a cell at an offset and waits until the room has it.
func (m *member) types(cell, at int, text string) {
	m.t.Helper()
	m.do(nil, map[string]any{"do": "text", "cell": cell, "at": at, "del": 0, "ins": text, "flush": true})
}

// sees waits until check accepts the room's cells.
func (m *member) sees(what string, check func([]roomCell) error) {
	m.t.Helper()
	must.NoError(m.t, poll.Until(m.t.Context(), "the room to have "+what, func(context.Context) error { return check(m.cells()) }))
}

// fileHas waits until check accepts the cells of a notebook's file.
func fileHas(t *testing.T, server *lab.Lab, path, what string, check func([]nbfile.Cell) error) {
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "the file to have "+what, func(context.Context) error {
		cells, err := nbfile.Read(server.Path(path))
		if err != nil {
			return err
		}
		return check(cells)
	}))
}

// members is the process of all members, started for the first one.
var members struct {
	sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startMembers() error {
	python, err := child.Python(kit.Root)
	if err != nil {
		return err
	}
	members.cmd = exec.Command(python, "-B", filepath.Join(kit.Root, "e2e", "rooms", "testdata", "peer.py"))
	members.cmd.Stderr = &members.stderr
	if members.in, err = members.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := members.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	members.out = bufio.NewReader(out)
	if err := members.cmd.Start(); err != nil {
		return err
	}
	kit.AtEnd(endMembers)
	return nil
}

// tell sends the process one command and decodes its answer.
func tell(into any, command map[string]any) error {
	members.Lock()
	defer members.Unlock()
	if members.cmd == nil {
		if err := startMembers(); err != nil {
			return fmt.Errorf("start the members of rooms: %w", err)
		}
	}
	command["id"] = 1 // one at a time
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if _, err := members.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("tell a member %s: %w", line, err)
	}
	answer, err := members.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("a member's answer to %s: %w\n%s", line, err, members.stderr.Bytes())
	}
	var a struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.Error != "" {
		return fmt.Errorf("a member failed at %s: %w %s", line, err, a.Error)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(a.Value, into)
}

// endMembers ends the process after the tests.
func endMembers() error {
	_ = members.in.Close() // which ends it
	if err := members.cmd.Wait(); err != nil {
		return fmt.Errorf("the members of rooms: %w\n%s", err, members.stderr.Bytes())
	}
	return nil
}

// notebook writes a notebook for one test with code cells c0, c1, …; its kernel ends with the test.
func notebook(t *testing.T, server *lab.Lab, sources ...string) string {
	t.Helper()
	cells := make([]map[string]any, len(sources))
	for i, source := range sources {
		cells[i] = map[string]any{
			"id": fmt.Sprintf("c%d", i), "cell_type": "code", "source": source, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil,
		}
	}
	text, err := json.Marshal(map[string]any{
		"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
	})
	must.NoError(t, err)
	f, err := os.CreateTemp(server.Root, t.Name()+"-*.ipynb")
	must.NoError(t, err)
	_, err = f.Write(text)
	must.NoError(t, err)
	must.NoError(t, f.Close())
	path := filepath.Base(f.Name())
	t.Cleanup(func() {
		if err := server.EndKernel(context.Background(), path); err != nil {
			t.Error(err)
		}
	})
	return path
}
