package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// One agent has a hundred notebooks open at once, edits each, and leaves all of
// them together.
func TestHundredRooms(t *testing.T) {
	s := jupytertest.Start(t)
	a := newPatient(t, s.URL, s.Token)
	const rooms = 100
	var wg sync.WaitGroup
	gate := make(chan struct{}, 4)
	paths := make([]string, rooms)
	for i := range paths {
		paths[i] = s.Notebook(t, "x = 1")
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			d, err := a.Open(t.Context(), jupyter.MustPath(paths[i]))
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			defer d.Release()
			l := &ledger{}
			if l.insert(t.Context(), d, 0, fmt.Sprint("room ", i)); len(l.made) != 1 {
				t.Errorf("room %d: %v %v", i, l, l.surprise)
			}
		})
	}
	wg.Wait()
	infos := a.Sessions(jupyter.Path{})
	connected := 0
	for _, i := range infos {
		if i.Status == session.Connected {
			connected++
		}
	}
	if connected != rooms {
		t.Errorf("%d rooms are open, want %d", connected, rooms)
	}
	ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
	defer stop()
	if err := a.Close(ctx); err != nil {
		t.Errorf("leave: %v", err)
	}
	for i, p := range paths {
		onDisk, err := readSources(filepath.Join(s.Root, p))
		must.NoError(t, err)
		must.SliceLen(t, 2, onDisk)
		test.Eq(t, fmt.Sprint("room ", i), onDisk[0])
	}
}

// Twenty agents edit one notebook at the same time.
func TestTwentyAgents(t *testing.T) {
	s := jupytertest.Shared(t)
	path := s.Notebook(t, "x = 1")
	l := &ledger{}
	var docs []*session.Document
	for range 20 {
		docs = append(docs, newPatient(t, s.URL, s.Token).open(path))
	}
	var wg sync.WaitGroup
	for who, d := range docs {
		wg.Go(func() {
			for i := range 5 {
				l.insert(t.Context(), d, who+i, fmt.Sprintf("%d-%d", who, i))
			}
		})
	}
	wg.Wait()
	if len(l.made) != 100 {
		t.Errorf("%v: %v", l, l.surprise)
	}
	settles(t, s, path, l, docs...)
}

// largeCells is the number of cells of a large notebook.
const largeCells = 2000

// largeNotebook writes a notebook of 20 MB.
func largeNotebook(t testing.TB, s *jupytertest.Server) string {
	t.Helper()
	all := []any{}
	for i := range largeCells {
		all = append(all, map[string]any{
			"id": fmt.Sprintf("c%d", i), "cell_type": "code", "source": fmt.Sprintf("print(%d)", i), "metadata": map[string]any{},
			"execution_count": i, "outputs": []any{map[string]any{
				"output_type": "stream", "name": "stdout", "text": strings.Repeat(fmt.Sprintf("%09d\n", i), 1000),
			}},
		})
	}
	b, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": all})
	if err != nil {
		t.Fatal(err)
	}
	return s.Write(t, s.Name(t, ".ipynb"), string(b))
}

// A notebook of 2,000 cells and 20 MB is opened, edited, left, and opened by another agent.
func TestLargeNotebook(t *testing.T) {
	s := jupytertest.Shared(t)
	path := largeNotebook(t, s)
	a := newPatient(t, s.URL, s.Token)
	d := a.open(path)
	if d.Notebook().Len() != largeCells {
		t.Fatalf("%d cells, want %d", d.Notebook().Len(), largeCells)
	}
	ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
	defer stop()
	if err := d.Edit(ctx, "edit", func(e *ydoc.Editor) error {
		if err := e.SetSource("c1000", "print('changed')"); err != nil {
			return err
		}
		return e.Move("c1999", 0)
	}); err != nil {
		t.Fatal(err)
	}
	other := newPatient(t, s.URL, s.Token).open(path)
	want, _ := cells(d.Notebook())
	if got, _ := cells(other.Notebook()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("a newcomer has another notebook")
	}
	file := filepath.Join(s.Root, path)
	var last os.FileInfo
	unwritten := errors.New("it was not written")
	if err := poll.Until(t.Context(), "the edit to be on disk", func(context.Context) error {
		// Reading it takes a second of a processor, so read it only after it was written.
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if last != nil && info.Size() == last.Size() && info.ModTime().Equal(last.ModTime()) {
			return unwritten
		}
		last = info
		onDisk, err := nbfile.Read(file)
		if err != nil {
			return err
		}
		if len(onDisk) != largeCells || onDisk[0].ID != "c1999" || len(onDisk[0].Outputs) != 1 || len(onDisk[0].Outputs[0].Text) != 10000 {
			return errors.New("the moved cell is not there with its output")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	validate(t, file)
}
