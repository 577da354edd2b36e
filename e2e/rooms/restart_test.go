package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// pair is two servers with one root, one index of file ids and one token: the
// second stands for the first one after a restart.
func pair(t *testing.T) (first, second *jupytertest.Server) {
	t.Helper()
	first = jupytertest.Start(t)
	index := filepath.Join(filepath.Dir(first.Root), "data", "file_id_manager.db")
	l, err := lab.Start(t.Context(), lab.Options{
		Root: first.Root, Token: first.Token, Args: []string{"--ArbitraryFileIdManager.db_path=" + index},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	return first, &jupytertest.Server{URL: l.URL, Token: first.Token, Root: first.Root}
}

// A killed server forgets what it has not saved, and the one that is started
// in its place has other rooms, with or without the old one's history. What was
// waiting for an answer then is answered as not made, and is not made.
func TestServerKilledAndRestarted(t *testing.T) {
	first, second := pair(t)
	path := first.Notebook(t, "x = 1", "y = 2")
	l := newLine(t, first)
	docs := []*session.Document{
		newAgent(t, l.url(), first.Token).open(path),
		newAgent(t, l.url(), first.Token).open(path),
	}

	kept := &ledger{}
	for i := range 5 {
		kept.insert(t.Context(), docs[i%2], i, fmt.Sprintf("before-%d", i))
	}
	file := filepath.Join(first.Root, path)
	err := poll.Until(t.Context(), "the edits to be on disk", func(context.Context) error { return fileHolds(file, kept.made) })
	if err != nil {
		t.Fatal(err)
	}
	old := []uint64{docs[0].Notebook().ClientID(), docs[1].Notebook().ClientID()}

	first.Kill()
	// These are made in the old replica while there is no server, and wait.
	gone := &ledger{}
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		ctx, stop := context.WithTimeout(context.Background(), poll.Patience)
		defer stop()
		gone.insert(ctx, docs[0], 0, "during")
	}()
	time.Sleep(200 * time.Millisecond)
	l.lead(second)
	<-waiting
	if len(gone.notMade) != 1 {
		t.Errorf("the edit that the old server never confirmed: %v %v, want it answered as not made", gone, gone.surprise)
	}
	for i, d := range docs {
		err := poll.Until(t.Context(), "the room to be joined afresh", func(context.Context) error {
			if id := d.Notebook().ClientID(); id == old[i] {
				return errors.New("the replica is still the old one")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	after := &ledger{made: kept.made}
	for i := range 4 {
		after.insert(t.Context(), docs[i%2], i, fmt.Sprintf("after-%d", i))
	}
	settles(t, second, path, after, docs...)
	if _, sources := cells(docs[0].Notebook()); slices.Contains(sources, "during") {
		t.Error("an edit that was answered as not made is there")
	}
}

// A server that is killed in the middle of edits: whatever the answers are,
// they are true.
func TestServerKilledWhileEditing(t *testing.T) {
	first, second := pair(t)
	path := first.Notebook(t, "x = 1", "y = 2")
	l := newLine(t, first)
	d := newAgent(t, l.url(), first.Token).open(path)
	lg := &ledger{}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		typeCells(context.Background(), lg, d, "k")
	}()
	time.Sleep(300 * time.Millisecond)
	first.Kill()
	l.lead(second)
	<-stopped
	// What the first server had confirmed and not saved went down with it; the
	// rest holds: nothing doubled, and one notebook for all.
	lg.unsure = append(lg.unsure, lg.made...)
	lg.made = nil
	lg.insert(t.Context(), d, 0, "after")
	settles(t, second, path, lg, d)
}

func fileHolds(file string, sources []string) error {
	onDisk, err := readSources(file)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if !slices.Contains(onDisk, s) {
			return fmt.Errorf("%q is not on disk", s)
		}
	}
	return nil
}

// The server drops a room some time after the last one has left it, also when
// the last one was only away.
func TestRoomCleanedUpWhileAway(t *testing.T) {
	// It saves a second after the last edit, and forgets the edits of a room
	// that it drops earlier than that; by default it waits for a minute.
	s := jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=3"))
	path := s.Notebook(t, "x = 1")
	bad := newLine(t, s)
	d := newAgent(t, bad.url(), s.Token).open(path)
	l := &ledger{}
	l.insert(t.Context(), d, 1, "before")
	bad.proxy.Stop()
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
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "while away"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { waiting <- d.Settled(context.Background()) }()
	time.Sleep(6 * time.Second) // the room is saved and dropped meanwhile
	if err := bad.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	var end *rtc.CloseError
	switch err := <-waiting; {
	case err == nil:
		l.made = append(l.made, "while away")
	case errors.As(err, &end) && end.Action == rtc.Discard:
		l.notMade = append(l.notMade, "while away")
	default:
		t.Errorf("the edit made while away: %v", err)
	}
	tries := 0
	if err := poll.Until(t.Context(), "the room to take an edit again", func(ctx context.Context) error {
		tries++
		name := fmt.Sprintf("after-%d", tries)
		if l.insert(ctx, d, 0, name); slices.Contains(l.made, name) {
			return nil
		}
		return errors.New(l.String())
	}); err != nil {
		t.Fatal(err)
	}
	settles(t, s, path, l, d)
}
