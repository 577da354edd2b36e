package session_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Several notebooks are opened at once on a server that has never had a room: it creates the store of its rooms with the
// first one, and cannot open another in the meantime.
func TestFirstRoomsAtOnce(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store.db")
	s := jupytertest.Start(t, jupytertest.WithFlags("--SQLiteYStore.db_path="+store))
	m := sessiontest.Manager(t, s, session.Config{})
	var wg sync.WaitGroup
	for range 8 {
		path := s.Notebook(t, "x = 1")
		wg.Go(func() {
			d, err := m.Open(t.Context(), jupyter.MustPath(path))
			if err != nil {
				t.Error(err)
				return
			}
			d.Release()
		})
	}
	wg.Wait()
	if log := s.LogTail(); strings.Contains(log, "sqlite3") {
		t.Errorf("the server's store fails:\n%s", log)
	}
}
