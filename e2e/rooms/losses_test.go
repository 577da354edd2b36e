package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/store/journal"
	"github.com/nbduet/nbduet/ydoc"
)

// ruin is a notebook whose room fails.
type ruin struct {
	t      *testing.T
	server *jupytertest.Server
	path   string
	agent  *agent
	doc    *session.Document
	peer   *foreignPeer // a tab without a name
	before []string     // the sources
}

// A room that fails doubles or loses a notebook's cells. The agent then writes nothing until the notebook is restored, to the
// byte, in the room and in the file. NBDUET_JUPYTER names the jupyter of another version, as the target test-lab does.
func TestRoomsThatFail(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]jupytertest.Option{
		"jupyter-collaboration":    {jupytertest.WithFlags("--YDocExtension.document_save_delay=3")},
		"jupyter-server-documents": {jupytertest.WithDocuments()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := jupytertest.Start(t, opts...)
			for fault, breaks := range map[string]func(*ruin){
				"a tab joins with another history": (*ruin).diverges,
				"a program deletes all cells":      (*ruin).empties,
				"the room is empty at a join":      (*ruin).emptyRoom,
			} {
				t.Run(fault, func(t *testing.T) {
					t.Parallel()
					r := newRuin(t, s, s.URL, "é = 1", "# 😀\nb = 2", "日本 = 3", "d = '\\n'", "", "f = 6\n", "g = 7")
					breaks(r)
					r.isRestored()
				})
			}
			t.Run("a tab returns after a restart without history", func(t *testing.T) {
				t.Parallel()
				first, second := pair(t, false, opts...)
				l := newLine(t, first)
				r := newRuin(t, first, l.url(), "x = 0")
				r.returns(l, second)
				r.isRestored()
			})
		})
	}
}

func newRuin(t *testing.T, s *jupytertest.Server, url string, sources ...string) *ruin {
	t.Helper()
	j := journal.New(journal.Options{Path: filepath.Join(t.TempDir(), "a.journal.db")})
	t.Cleanup(func() { test.NoError(t, j.Close(context.Background())) })
	r := &ruin{t: t, server: s, path: s.Notebook(t, sources...), before: sources}
	r.agent = newAgentFor(t, url, s.Token, session.Config{Timing: hasty, Journal: j})
	r.doc = r.agent.open(r.path)
	r.peer = &foreignPeer{f: process(t, yjs), name: t.Name()}
	must.NoError(t, r.writes())
	return r
}

// writes appends a cell as a client.
func (r *ruin) writes() error {
	source := fmt.Sprint("written = ", len(r.before))
	err := r.doc.Edit(r.call(), "append", func(e *ydoc.Editor) error {
		_, err := e.Insert(e.Len(), ydoc.NewCell{Type: ydoc.Code, Source: source})
		return err
	})
	if err == nil {
		r.before = append(slices.Clip(r.before), source)
	}
	return err
}

func (r *ruin) call() context.Context {
	return origin.With(r.t.Context(), origin.Author{Client: "agent", Call: 1})
}

// do lets the tab do something.
func (r *ruin) do(command map[string]any) {
	r.t.Helper()
	_, err := r.peer.do(r.t.Context(), command)
	must.NoError(r.t, err)
}

func (r *ruin) joins(cells ...string) {
	r.t.Helper()
	r.do(map[string]any{"do": "open", "url": r.room(), "token": r.server.Token, "cells": append([]string{}, cells...)})
}

func (r *ruin) room() string {
	infos := r.agent.Sessions(r.doc.Path())
	must.SliceLen(r.t, 1, infos)
	return "ws" + strings.TrimPrefix(r.server.URL, "http") + "/api/collaboration/room/json:notebook:" + r.doc.FileID() + "?sessionId=" + infos[0].SessionID
}

// diverges makes the tab join with the cells of the file, which it has loaded itself.
func (r *ruin) diverges() { r.joins(r.before...) }

func (r *ruin) empties() {
	r.joins()
	r.do(map[string]any{"do": "clear", "flush": true})
}

// emptyRoom empties the room while the agent is away. The file still has the cells.
func (r *ruin) emptyRoom() {
	r.joins()
	_, _, err := r.agent.End(r.t.Context(), jupyter.MustPath(r.path))
	must.NoError(r.t, err)
	r.do(map[string]any{"do": "clear", "flush": true})
	r.doc = r.agent.open(r.path)
}

// returns kills the server. The tab returns to its successor, with the history of the old room.
func (r *ruin) returns(l *line, second *jupytertest.Server) {
	r.joins()
	for i, source := range []string{"é = 1", "# 😀\nb = 2", "日本 = 3", "d = 4", "e = 5", "f = 6"} {
		r.do(map[string]any{"do": "insert", "at": i, "cell": fmt.Sprint("own", i), "source": source, "flush": true})
	}
	must.NoError(r.t, r.doc.Settled(r.t.Context()))
	_, r.before = cells(r.doc.Notebook())
	must.SliceLen(r.t, 8, r.before)
	file := filepath.Join(r.server.Root, r.path)
	must.NoError(r.t, poll.Until(r.t.Context(), "the cells to be on disk", func(context.Context) error { return fileHolds(file, r.before) }))
	r.do(map[string]any{"do": "away"})
	old := r.doc.Notebook().ClientID()
	crash(r.t, r.server, file)
	l.lead(second)
	r.server = second
	must.NoError(r.t, poll.Until(r.t.Context(), "the room to be joined afresh", func(context.Context) error {
		if r.doc.Notebook().ClientID() == old {
			return errors.New("the replica is still the old one")
		}
		return r.doc.Settled(r.t.Context())
	}))
	r.do(map[string]any{"do": "back", "url": r.room()})
}

// isRestored waits until the notebook is suspect and restores it.
func (r *ruin) isRestored() {
	t := r.t
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "the notebook to be suspect", func(context.Context) error {
		if editguard.Suspected(r.doc.Notebook()).Suspect == "" {
			_, sources := cells(r.doc.Notebook())
			return fmt.Errorf("it is not: %q", sources)
		}
		return nil
	}))
	t.Log(editguard.Suspected(r.doc.Notebook()).Suspect)
	must.True(t, errors.As(r.writes(), new(*editguard.SuspectError)))
	_, err := session.Kept{Document: r.doc}.Restore(r.call(), session.Before)
	must.NoError(t, err)
	_, sources := cells(r.doc.Notebook())
	test.Eq(t, r.before, sources)
	must.NoError(t, r.writes())
	file := filepath.Join(r.server.Root, r.path)
	test.NoError(t, poll.Until(t.Context(), "the file to be restored", func(context.Context) error {
		onDisk, err := readSources(file)
		if err == nil && !slices.Equal(r.before, onDisk) {
			err = fmt.Errorf("it has %q", onDisk)
		}
		return err
	}))
	validate(t, file)
}
