package ydiff

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

// serverSeeds is the number of programs that are run in rooms of a real server.
const serverSeeds = 20

// TestServerHoldsTheSame runs random programs of two nbduet replicas in rooms of a Jupyter server. At the end both must
// have the content of the server's file.
func TestServerHoldsTheSame(t *testing.T) {
	t.Parallel()
	s := jupytertest.Shared(t)
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.CloseIdleConnections()
	interpreter, err := child.Python(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	p, err := child.Start(t.Context(), interpreter, "-B", filepath.Join("..", "python", "jupyter_peer.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for seed := range uint64(serverSeeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			name := s.Name(t, ".ipynb")
			s.Write(t, name, `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			own, err := inRoom(ctx, srv, name, seed)
			if err != nil {
				t.Fatal(err)
			}
			// The server may be writing the file again, which truncates it first.
			if err := poll.Until(ctx, "a whole file", func(context.Context) error {
				_, err := nbfile.Read(filepath.Join(s.Root, name))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			var saved any
			if err := p.One(&saved, "parse", s.Read(t, name)); err != nil {
				t.Fatal(err)
			}
			if d := difference("", asSaved(own), asSaved(saved)); d != "" {
				t.Errorf("ours, with the file: %s", d)
			}
		})
	}
}

// inRoom runs a program's edits in the room of a notebook, lets the server save, and returns both replicas' content.
func inRoom(ctx context.Context, srv *jupyter.Server, name string, seed uint64) (own any, err error) {
	var writers [2]*local
	var rooms [2]*rtc.Room
	for i := range rooms {
		writers[i] = newLocal(0)
		rooms[i], err = rtc.Join(ctx, rtc.Config{
			Server: srv, Path: jupyter.MustPath(name), Format: "json", Type: "notebook", Replica: writers[i].n.Doc,
			IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
		})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, rooms[i].Leave(ctx)) }()
	}
	r := random{Rand: rand.New(rand.NewPCG(seed, 20260102))}
	g := generator{random: r, p: &program{Kinds: []kind{goKind, goKind}}}
	for range 40 {
		g.edit(r.IntN(2))
	}
	for i, s := range append([]step{{Ops: []op{g.insert(0), g.insert(0), g.insert(0)}}}, g.p.Steps...) {
		if _, err := writers[s.P].edit(s.Ops); err != nil {
			return nil, fmt.Errorf("step %d, %v: %w", i, s, err)
		}
		if r.IntN(8) == 0 {
			if err := rooms[s.P].Barrier(ctx); err != nil {
				return nil, err
			}
		}
	}
	for _, i := range []int{0, 1, 0} {
		if err := rooms[i].Barrier(ctx); err != nil {
			return nil, err
		}
	}
	// During its own save the server skips others.
	if err := poll.Until(ctx, "a save", func(ctx context.Context) error {
		status, err := rooms[0].Save(ctx)
		if err == nil && status != "success" {
			err = errors.New(status)
		}
		return err
	}); err != nil {
		return nil, err
	}
	// Two moves of one cell at the same time leave two cells with its id, and the server gives one of them another id
	// when it saves: both replicas have to receive that.
	for _, room := range rooms {
		if err := room.Barrier(ctx); err != nil {
			return nil, err
		}
	}
	var all [2]any
	for i, w := range writers {
		if all[i], err = asJSON(w.n.JSON()); err != nil {
			return nil, err
		}
	}
	if d := difference("", all[0], all[1]); d != "" {
		return nil, fmt.Errorf("one replica, with the other: %s", d)
	}
	return all[0], nil
}
