package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// pair starts two servers with one root, one index of file ids and one token. The second represents the first one after
// a restart, in the same folder, where it finds the rooms' history, or in another one.
func pair(t *testing.T, history bool, opts ...jupytertest.Option) (first, second *jupytertest.Server) {
	t.Helper()
	first = jupytertest.Start(t, opts...)
	dir := filepath.Dir(first.Root)
	flags := []string{"--ArbitraryFileIdManager.db_path=" + filepath.Join(dir, "data", "file_id_manager.db")}
	if history {
		flags = append(flags, "--SQLiteYStore.db_path="+filepath.Join(dir, ".jupyter_ystore.db"))
	}
	opts = append(slices.Clip(opts), jupytertest.WithRoot(first.Root), jupytertest.WithToken(first.Token), jupytertest.WithFlags(flags...))
	second = jupytertest.Start(t, opts...)
	return first, second
}

// A killed server loses its unsaved edits, and its successor has other rooms, with or without the old history. Edits
// that were waiting for an answer are answered as not made, and are not made.
func TestServerKilledAndRestarted(t *testing.T) {
	t.Parallel()
	first, second := pair(t, false)
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

	crash(t, first, file)
	// These are made in the old replica without a server, and wait.
	gone := &ledger{}
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		ctx, stop := context.WithTimeout(context.Background(), poll.Patience)
		defer stop()
		gone.insert(ctx, docs[0], 0, "during")
	}()
	if err := poll.Until(t.Context(), "the edit in the old replica", func(context.Context) error {
		if _, sources := cells(docs[0].Notebook()); !slices.Contains(sources, "during") {
			return errors.New("it is not made yet")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
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
