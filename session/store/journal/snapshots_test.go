package journal

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/undo"
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
