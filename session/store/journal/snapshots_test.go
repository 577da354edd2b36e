package journal

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/store/sqlite"
)

// shot returns a snapshot of one cell.
func shot(name, source string, at time.Time) changelog.Snapshot {
	return changelog.Snapshot{Name: name, At: at, Cells: []changelog.SnapshotCell{{ID: "c0", Type: "code", Source: source}}}
}

// Snapshots are found by their revision, and by a time, in the next process, too.
func TestSnapshots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	j, _ := begun(t, path)
	in := func() undo.Place { return here }
	mine, now := j.Snapshots(in), time.Now().Truncate(time.Millisecond)
	mine.Keep(shot("3ab", "three", now.Add(-3*time.Hour)))
	mine.Keep(shot("7ab", "seven", now.Add(-2*time.Hour)))
	mine.Keep(shot("2cd", "other process", now.Add(-time.Hour)))
	must.NoError(t, j.Close(t.Context()))
	next, _ := begun(t, path)
	mine = next.Snapshots(in)
	for revision, want := range map[string]string{"3ab": "three", "7ab": "seven", "2cd": "other process", "5ab": "", "3zz": ""} {
		got, ok := mine.Find(t.Context(), revision, time.Time{})
		test.Eq(t, want != "", ok, test.Sprint(revision))
		if ok {
			test.Eq(t, want, got.Cells[0].Source, test.Sprint(revision))
		}
	}
	for ago, want := range map[time.Duration]string{0: "other process", 90 * time.Minute: "seven", 2 * time.Hour: "seven", 4 * time.Hour: ""} {
		got, ok := mine.Find(t.Context(), "", now.Add(-ago))
		test.Eq(t, want != "", ok, test.Sprint(ago))
		if ok {
			test.Eq(t, want, got.Cells[0].Source, test.Sprint(ago))
		}
	}
	_, ok := next.Snapshots(func() undo.Place { return undo.Place{Server: here.Server, File: "copy"} }).Find(t.Context(), "3ab", now)
	test.False(t, ok)
	all, err := List(t.Context(), path)
	must.NoError(t, err)
	must.SliceLen(t, 1, all)
	test.Eq(t, 0, all[0].Steps)
	must.NoError(t, Remove(t.Context(), path, all))
	_, ok = mine.Find(t.Context(), "3ab", now)
	test.False(t, ok)
}

// The last look of an owner is known to the next process.
func TestLooks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	j, _ := begun(t, path)
	mine, before := j.Snapshots(func() undo.Place { return here }), time.Now().Truncate(time.Millisecond)
	mine.Look("local", "3ab")
	mine.Look("local", "7ab")
	mine.Look("other", "9ab")
	must.NoError(t, j.Close(t.Context()))
	next, _ := begun(t, path)
	mine = next.Snapshots(func() undo.Place { return here })
	revision, at := mine.Looked(t.Context(), "local")
	test.Eq(t, "7ab", revision)
	test.False(t, at.Before(before))
	revision, _ = mine.Looked(t.Context(), "stranger")
	test.Eq(t, "", revision)
	revision, _ = next.Snapshots(func() undo.Place { return undo.Place{Server: here.Server, File: "copy"} }).Looked(t.Context(), "local")
	test.Eq(t, "", revision)
}

// Snapshots with the same cells, of any notebook, share them until the last is removed.
func TestSameSnapshots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	j, _ := begun(t, path)
	contents := func() (n int) {
		must.NoError(t, j.current(t.Context(), func(ctx context.Context, db *sql.DB) error {
			return db.QueryRowContext(ctx, "SELECT count(*) FROM contents").Scan(&n)
		}))
		return n
	}
	there := undo.Place{Server: here.Server, File: "copy", Path: "copy.ipynb"}
	for i, in := range []undo.Place{here, here, there} {
		j.Snapshots(func() undo.Place { return in }).Keep(shot(fmt.Sprint(i, "ab"), "same", time.Now()))
	}
	j.Snapshots(func() undo.Place { return here }).Keep(shot("3ab", "other", time.Now()))
	test.Eq(t, 2, contents())
	all, err := List(t.Context(), path)
	must.NoError(t, err)
	must.SliceLen(t, 2, all)
	for _, n := range all {
		if n.Path == here.Path {
			must.NoError(t, Remove(t.Context(), path, []Notebook{n}))
		}
	}
	test.Eq(t, 1, contents())
	got, ok := j.Snapshots(func() undo.Place { return there }).Find(t.Context(), "2ab", time.Time{})
	must.True(t, ok)
	test.Eq(t, "same", got.Cells[0].Source)
}

// A journal of an earlier version keeps its snapshots.
func TestSnapshotsOfEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sqlite.Open(t.Context(), path, steps[:2], nil)
	must.NoError(t, err)
	for i, source := range []string{"one", "two", "one"} {
		cells, err := packed(shot("", source, time.Now()).Cells)
		must.NoError(t, err)
		_, err = db.ExecContext(t.Context(), `INSERT OR IGNORE INTO notebooks (id, server, file, path) VALUES (1, ?, ?, ?)`, here.Server, here.File, here.Path)
		must.NoError(t, err)
		_, err = db.ExecContext(t.Context(), `INSERT INTO snapshots (notebook, revision, at, cells) VALUES (1, ?, 1, ?)`, fmt.Sprint(i, "ab"), cells)
		must.NoError(t, err)
	}
	must.NoError(t, db.Close())
	j, _ := begun(t, path)
	mine := j.Snapshots(func() undo.Place { return here })
	for revision, want := range map[string]string{"0ab": "one", "1ab": "two", "2ab": "one"} {
		got, ok := mine.Find(t.Context(), revision, time.Time{})
		must.True(t, ok)
		test.Eq(t, want, got.Cells[0].Source)
	}
}

// The newest snapshots of a notebook are kept.
func TestFewSnapshots(t *testing.T) {
	j, _ := begun(t, filepath.Join(t.TempDir(), "a.db"))
	mine := j.Snapshots(func() undo.Place { return here })
	for i := range maxSnapshots + 5 {
		mine.Keep(shot(fmt.Sprintf("%dab", i+1), fmt.Sprint(i), time.Now()))
	}
	_, ok := mine.Find(t.Context(), "5ab", time.Time{})
	test.False(t, ok)
	got, ok := mine.Find(t.Context(), "6ab", time.Time{})
	must.True(t, ok)
	test.Eq(t, "5", got.Cells[0].Source)
}

// BenchmarkSnapshot writes a notebook of 5,000 cells and 5 MB.
func BenchmarkSnapshot(b *testing.B) {
	s := changelog.Snapshot{Name: "1ab", At: time.Now()}
	for i := range 5000 {
		s.Cells = append(s.Cells, changelog.SnapshotCell{ID: fmt.Sprintf("%08x", i), Type: "code", Source: strings.Repeat(fmt.Sprintf("value_%d = compute(%d)\n", i, i*7919), 40)})
	}
	for b.Loop() {
		if _, err := packed(s.Cells); err != nil {
			b.Fatal(err)
		}
	}
}
