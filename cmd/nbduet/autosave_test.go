package main

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// ada is a person who has a notebook open and has disabled autosave.
type ada struct {
	t     *testing.T
	nb    *ydoc.Notebook
	table *awareness.Table
	write func(frame []byte) error
	mu    sync.Mutex // of writes
}

func adaIn(t *testing.T, s *jupytertest.Server, path string) *ada {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	c, err := srv.Rooms.Session(t.Context(), jupyter.MustPath(path), "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	ws, err := srv.Rooms.Dial(t.Context(), c.RoomID(), c.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	const binary = 2 // RFC 6455, 11.8
	a := &ada{t: t, nb: ydoc.NewNotebook(), write: func(frame []byte) error { return ws.WriteMessage(binary, frame) }}
	a.table = awareness.NewTable(a.nb.ClientID())
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			_, b, err := ws.ReadMessage()
			if err != nil {
				return
			}
			a.hear(b)
		}
	})
	t.Cleanup(func() {
		_ = ws.Close()
		reading.Wait()
	})
	a.send(wire.AppendSyncStep1(nil, []byte{0}))
	a.until("she sees the notebook", func() bool { return a.nb.Len() > 0 })
	a.nb.OnUpdate(func(u []byte) { a.send(wire.AppendUpdate(nil, u)) })
	a.show()
	return a
}

// show announces ada.
func (a *ada) show() {
	a.t.Helper()
	u, err := a.table.SetLocal(map[string]any{
		"autosave": false, "user": map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": "#888"},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.send(wire.AppendAwareness(nil, u))
}

func (a *ada) send(frame []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.write(frame); err != nil {
		a.t.Error(err)
	}
}

func (a *ada) hear(b []byte) {
	f, err := wire.ParseFrame(b, wire.DefaultLimits)
	if err == nil {
		switch f.Kind {
		case wire.SyncStep2, wire.Update:
			err = a.nb.Apply(f.Payload)
		case wire.Awareness:
			_, err = a.table.Apply(f.Payload, time.Now())
		}
	}
	if err != nil {
		a.t.Errorf("Ada is sent %v", err)
	}
}

// agents returns the number of other users, and how many of them have autosave on.
func (a *ada) agents() (all, asking int) {
	for _, st := range a.table.Peers() {
		if _, user := st.User(); user {
			if all++; st.Autosave() {
				asking++
			}
		}
	}
	return all, asking
}

func (a *ada) until(what string, holds func() bool) {
	a.t.Helper()
	for late := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			a.t.Fatalf("it did not come to this: %s", what)
		}
	}
}

// However the program leaves a notebook, it saves neither the unsaved edits of people who have disabled autosave nor its
// own.
func TestLeavesAutosaveOff(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	signals := map[string]syscall.Signal{"stdin closed": 0, "SIGTERM": syscall.SIGTERM}
	for _, how := range []string{"stdin closed", "SIGTERM", "session timeout"} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read-only %v", how, readOnly), func(t *testing.T) {
				t.Parallel()
				path := s.Notebook(t, "x = 1")
				flags := []string{"--jupyter-url=" + s.URL, "--token=" + s.Token, "--log-level=error", "--state=" + t.TempDir() + "/state.db", fmt.Sprintf("--read-only=%v", readOnly)}
				if how == "session timeout" {
					flags = append(flags, "--session-timeout=0.07")
				}
				p := spawn(t, flags...)
				a := adaIn(t, s, path) // before the agent, so that ada sees it at once
				p.call("read_nb_cells", map[string]any{"path": path})
				a.until("the agent asks for no saves", func() bool {
					all, asking := a.agents()
					return all > 0 && asking == 0
				})
				a.show() // a later peer sees ada when she announces herself again; her edits come after that
				if err := a.nb.Edit("type", func(e *ydoc.Editor) error {
					_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "typed = True"})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				a.until("the agent sees what Ada types", func() bool {
					return strings.Contains(fmt.Sprint(p.call("read_nb_cells", map[string]any{"path": path})), "typed = True")
				})
				if !readOnly {
					p.call("insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"type": "markdown", "content": "of the agent"}}})
				}
				if sig, ends := signals[how]; ends {
					p.end(sig)
				}
				a.until("the agent has left", func() bool {
					all, _ := a.agents()
					return all == 0
				})
				time.Sleep(2 * time.Second) // longer than the server's delay before it writes
				file := s.Read(t, path)
				test.StrNotContains(t, file, "typed", test.Sprint("the file was written though Ada had switched autosave off"))
				test.StrNotContains(t, file, "of the agent", test.Sprint("the file was written though Ada had switched autosave off"))
			})
		}
	}
}
