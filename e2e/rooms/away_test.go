package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/ydoc"
)

// The server drops a room some time after the last member has left it, even if the last members were only disconnected.
// A run continues in the meantime.
func TestRoomCleanedUpWhileAway(t *testing.T) {
	t.Parallel()
	// It saves a second after the last edit, and loses the edits of a room that it drops before that; by default it
	// waits for a minute.
	s := jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=3"))
	for _, agents := range []int{1, 2} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d agents, running %v", agents, running), func(t *testing.T) {
				t.Parallel()
				awayTooLong(t, s, agents, running)
			})
		}
	}
}

func awayTooLong(t *testing.T, s *jupytertest.Server, agents int, running bool) {
	path := s.Notebook(t, "import time\nfor i in range(150):\n    print('line', i, flush=True)\n    time.sleep(0.05)")
	bad := newLine(t, s)
	l := &ledger{}
	var docs []*session.Document
	for i := range agents {
		d := newAgent(t, bad.url(), s.Token).open(path)
		docs = append(docs, d)
		l.insert(t.Context(), d, 1, fmt.Sprint("before-", i))
	}
	// Edits that are not on disk yet are lost with the room.
	if err := poll.Until(t.Context(), "the edits to be on disk", func(context.Context) error {
		return fileHolds(filepath.Join(s.Root, path), l.made)
	}); err != nil {
		t.Fatal(err)
	}
	var runs []*run.Run
	if running {
		var err error
		if runs, err = docs[0].Run(t.Context(), []string{"c0"}); err != nil {
			t.Fatal(err)
		}
		if err := poll.Until(t.Context(), "output", func(context.Context) error {
			if c, _ := docs[0].Notebook().Cell("c0"); len(c.Outputs) == 0 {
				return errors.New("there is none")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	bad.proxy.Stop()
	waiting := make([]chan error, agents)
	for i, d := range docs {
		if err := poll.Until(t.Context(), "the loss to be noticed", func(ctx context.Context) error {
			call, stop := context.WithTimeout(ctx, 10*time.Millisecond)
			defer stop()
			if err := d.Settled(call); err == nil {
				return errors.New("the room still answers")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := d.Notebook().Edit("while away", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: fmt.Sprint("away-", i)})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		waiting[i] = make(chan error, 1)
		go func() { waiting[i] <- d.Settled(context.Background()) }()
	}
	time.Sleep(6 * time.Second) // the room is saved and dropped in the meantime
	if err := bad.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		name := fmt.Sprint("away-", i)
		var end *rtc.CloseError
		switch err := <-waiting[i]; {
		case err == nil:
			l.made = append(l.made, name)
		case errors.As(err, &end) && end.Action == rtc.Discard:
			l.notMade = append(l.notMade, name)
		default:
			t.Errorf("the edit made while away: %v", err)
		}
	}
	for i, d := range docs {
		tries := 0
		if err := poll.Until(t.Context(), "the room to take an edit again", func(ctx context.Context) error {
			tries++
			name := fmt.Sprintf("after-%d-%d", i, tries)
			if l.insert(ctx, d, 0, name); slices.Contains(l.made, name) {
				return nil
			}
			return errors.New(l.String())
		}); err != nil {
			t.Fatal(err)
		}
	}
	if running {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := runs[0].Wait(ctx); err != nil {
			t.Fatalf("the run does not end: %v; it is %+v", err, runs[0].Result())
		}
	}
	settles(t, s, path, l, docs...)
	if running {
		checkStream(t, runs[0].Result(), docs[0], docs[agents-1])
		t.Log(runs[0].Result().State, runs[0].Result().Err)
	}
	t.Log(l)
}
