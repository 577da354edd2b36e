package journal

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/store/sqlite"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	here = undo.Place{Server: "http://localhost:8888", File: "f1", Path: "a.ipynb"}
	me   = origin.Author{Client: "c-1", Owner: "local", Call: 1}
)

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// begun returns a journal at a path, with its log. It is closed with the test.
func begun(t *testing.T, path string) (*Journal, *lockedBuffer) {
	t.Helper()
	var log lockedBuffer
	j := New(Options{Path: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	t.Cleanup(func() { _ = j.Close(context.Background()) }) // some have closed it, or have no usable file
	return j, &log
}

// step returns a step of this time.
func step(id string) undo.Step {
	return undo.Step{ID: id, Tool: "modify_nb_cells", Reason: "because", At: time.Now()}
}

// edit returns an edit that gives a cell another source.
func edit(id, before, after string) []ydoc.CellEdit {
	return []ydoc.CellEdit{{ID: id, Before: &ydoc.CellState{Type: ydoc.Code, Source: before}, After: &ydoc.CellState{Type: ydoc.Code, Source: after}}}
}

// listed returns the ids of the steps of an owner, with their number of edits.
func listed(t *testing.T, j *Journal, in undo.Place, owner string) (out []string) {
	t.Helper()
	all, _ := j.Steps(t.Context(), in, owner) // none, if the file is not usable
	for _, r := range all {
		id := fmt.Sprint(r.ID, " ", len(r.Edits))
		if r.Undone {
			id += " undone"
		}
		out = append(out, id)
	}
	return out
}

// Steps outlast the process, for their owner and their notebook, also after it was renamed.
func TestStepsOutlastTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "a.journal.db")
	j, _ := begun(t, path)
	j.Add(here, me, step("s1"), edit("c0", "x = 1", "x = 10"))
	j.Add(here, me, step("s1"), edit("c1", "y = 1", "y = 10"))
	j.Add(here, me, step("s2"), edit("c0", "x = 10", "x = 100"))
	j.Add(undo.Place{Server: here.Server, File: "f2", Path: "copy of a.ipynb"}, me, step("s3"), edit("c0", "x = 1", "x = 2"))
	j.Add(here, origin.Author{Owner: "other"}, step("s4"), edit("c0", "x = 1", "x = 3"))
	must.NoError(t, j.Close(t.Context()))
	info, err := os.Stat(path)
	must.NoError(t, err)
	test.Eq(t, 0o600, info.Mode().Perm())

	next, _ := begun(t, path)
	renamed := undo.Place{Server: here.Server, File: "f1", Path: "b.ipynb"}
	got, err := next.Steps(t.Context(), renamed, "local")
	must.NoError(t, err)
	must.SliceLen(t, 2, got)
	test.Eq(t, "modify_nb_cells", got[0].Tool)
	test.Eq(t, "because", got[0].Reason)
	test.SliceEqOp(t, []string{"c0", "c1"}, got[0].Cells)
	test.Eq(t, edit("c1", "y = 1", "y = 10"), got[0].Edits[1])
	test.SliceEqOp(t, []string{"s3 1"}, listed(t, next, undo.Place{Server: here.Server, File: "f2"}, "local"))
	test.SliceEmpty(t, listed(t, next, undo.Place{Server: "http://elsewhere", File: "f1"}, "local"))
	test.NotEq(t, j.Prefix(), next.Prefix())
}

// An undone step can be redone until the owner's next edit of the notebook.
func TestUndoneSteps(t *testing.T) {
	j, _ := begun(t, filepath.Join(t.TempDir(), "a.db"))
	for _, id := range []string{"s1", "s2", "s3"} {
		j.Add(here, me, step(id), edit("c0", "x", id))
	}
	j.Mark("s3", true)
	j.Mark("s1", true)
	test.SliceEqOp(t, []string{"s2 1", "s3 1 undone", "s1 1 undone"}, listed(t, j, here, "local"))
	j.Mark("s1", false)
	test.SliceEqOp(t, []string{"s1 1", "s2 1", "s3 1 undone"}, listed(t, j, here, "local"))
	j.Add(here, origin.Author{Owner: "other"}, step("s4"), edit("c0", "x", "y"))
	test.SliceLen(t, 3, listed(t, j, here, "local"))
	j.Add(here, me, step("s5"), edit("c0", "x", "y"))
	test.SliceEqOp(t, []string{"s1 1", "s2 1", "s5 1"}, listed(t, j, here, "local"))
}

// Two processes write one journal; each reads the steps of both.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	a, _ := begun(t, path)
	b, _ := begun(t, path)
	var both sync.WaitGroup
	for i, j := range []*Journal{a, b} {
		both.Go(func() {
			for n := range 50 {
				j.Add(here, me, step(fmt.Sprint("p", i, "-", n)), edit("c0", "x", "y"))
				_, _ = j.Steps(t.Context(), here, "other")
			}
		})
	}
	both.Wait()
	_, _ = a.Steps(t.Context(), here, "other")
	test.SliceLen(t, 100, listed(t, b, here, "local"))
}

// Old steps are deleted, and the oldest ones that are too large together.
func TestBounds(t *testing.T) {
	j, _ := begun(t, filepath.Join(t.TempDir(), "a.db"))
	old := step("old")
	old.At = time.Now().Add(-MaxAge - time.Hour)
	j.Add(here, me, old, edit("c0", "x", "y"))
	for i := range 10 {
		j.Add(here, me, step(fmt.Sprint("s", i)), edit("c0", "x", strings.Repeat(fmt.Sprint(i), 100)))
	}
	test.SliceEqOp(t, []string{"s0 1"}, listed(t, j, here, "local")[:1])
	must.NoError(t, j.use(t.Context(), func(db *sql.DB) error {
		return sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error { return trim(t.Context(), tx, 400) })
	}))
	left := listed(t, j, here, "local")
	test.Less(t, 10, len(left))
	test.SliceNotEmpty(t, left)
	test.Eq(t, "s9 1", left[len(left)-1])
	// An edit that is too large is not kept.
	j.Add(here, me, step("large"), edit("c0", "x", strings.Repeat("x", maxStep+1)))
	test.Eq(t, left[len(left)-1], listed(t, j, here, "local")[len(left)-1])
	// Two thousand steps are written, and the last are read.
	for i := range 2_000 {
		j.Add(here, me, step(fmt.Sprint("m", i)), edit("c0", "x", "y"))
	}
	must.NoError(t, j.flush(t.Context())) // with the race detector it takes longer than a call waits
	all := listed(t, j, here, "local")
	must.SliceLen(t, most, all)
	test.Eq(t, "m1999 1", all[most-1])
}

// A damaged database is renamed, and a new one begins; a newer one is left alone, and so is a place that cannot be written.
func TestUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"text": strings.Repeat("this is not a database\n", 100), "cut": "SQLite format 3\x00" + strings.Repeat("\xff", 4000)} {
		path := filepath.Join(dir, name+".db")
		must.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		j, log := begun(t, path)
		j.Add(here, me, step("s1"), edit("c0", "x", "y"))
		test.SliceEqOp(t, []string{"s1 1"}, listed(t, j, here, "local"), test.Sprint(name))
		test.StrContains(t, log.String(), path+".damaged-")
		kept, err := filepath.Glob(path + ".damaged-*")
		must.NoError(t, err)
		must.SliceLen(t, 1, kept)
		b, err := os.ReadFile(kept[0])
		must.NoError(t, err)
		test.Eq(t, content, string(b))
	}
	newer := filepath.Join(dir, "newer.db")
	j, _ := begun(t, newer)
	j.Add(here, me, step("s1"), edit("c0", "x", "y"))
	must.NoError(t, j.use(t.Context(), func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99")
		return err
	}))
	must.NoError(t, j.Close(t.Context()))
	for _, path := range []string{newer, filepath.Join(newer, "below.db"), dir} {
		j, log := begun(t, path)
		for range 3 {
			j.Add(here, me, step("s2"), edit("c0", "x", "y"))
			test.SliceEmpty(t, listed(t, j, here, "local"), test.Sprint(path))
		}
		test.Eq(t, 1, strings.Count(log.String(), "the journal cannot be used"), test.Sprint(log.String()))
		j, log = begun(t, path)
		for range 3 {
			_, err := j.Steps(t.Context(), here, "local")
			test.Error(t, err)
		}
		test.Eq(t, 1, strings.Count(log.String(), "the journal cannot be used"), test.Sprint(log.String()))
	}
}

// On a full disk nothing waits; the queue is written when there is space.
func TestFullDisk(t *testing.T) {
	j, log := begun(t, filepath.Join(t.TempDir(), "a.db"))
	j.Add(here, me, step("s1"), edit("c0", "x", "y"))
	must.SliceLen(t, 1, listed(t, j, here, "local"))
	limit := func(pages int) {
		must.NoError(t, j.use(t.Context(), func(db *sql.DB) error {
			_, err := db.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		}))
	}
	limit(1)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "%x", i*7919)
	}
	j.Add(here, me, step("s2"), edit("c0", "x", text.String()))
	test.SliceEqOp(t, []string{"s1 1"}, listed(t, j, here, "local"))
	test.StrContains(t, log.String(), "full")
	limit(10_000)
	test.SliceEqOp(t, []string{"s1 1", "s2 1"}, listed(t, j, here, "local"))
}

// The command lists the notebooks, and removes the texts of one from the file.
func TestManage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	none, err := List(t.Context(), path)
	must.NoError(t, err)
	test.SliceEmpty(t, none)
	_, err = os.Stat(path)
	test.ErrorIs(t, err, os.ErrNotExist)
	j, _ := begun(t, path)
	j.Add(here, me, step("s1"), edit("c0", "x", "y"))
	j.Add(undo.Place{Server: here.Server, File: "f2", Path: "b.ipynb"}, me, step("s2"), edit("c0", "x", "z"))
	must.NoError(t, j.Close(t.Context()))
	all, err := List(t.Context(), path)
	must.NoError(t, err)
	must.SliceLen(t, 2, all)
	test.Eq(t, 1, all[0].Steps)
	must.NoError(t, Remove(t.Context(), path, all[:1]))
	rest, err := List(t.Context(), path)
	must.NoError(t, err)
	must.SliceLen(t, 1, rest)
	test.Eq(t, all[1].Path, rest[0].Path)
}

// Metadata that JSON does not have are left out.
func TestMetadataWithNaN(t *testing.T) {
	j, _ := begun(t, filepath.Join(t.TempDir(), "a.db"))
	gone := []ydoc.CellEdit{{ID: "c0", Before: &ydoc.CellState{Type: ydoc.Code, Source: "x", Metadata: map[string]any{"n": math.NaN()}}}}
	j.Add(here, me, step("s1"), gone)
	got, err := j.Steps(t.Context(), here, "local")
	must.NoError(t, err)
	must.SliceLen(t, 1, got)
	test.Eq(t, "x", got[0].Edits[0][0].Before.Source)
}

// BenchmarkAdd is the cost of the journal in a call.
func BenchmarkAdd(b *testing.B) {
	j := New(Options{Path: filepath.Join(b.TempDir(), "a.db")})
	defer func() { _ = j.Close(context.Background()) }()
	e := edit("c0", strings.Repeat("a line of code\n", 30), strings.Repeat("a line of codes\n", 30))
	n := 0
	for b.Loop() {
		if n++; n%100 == 0 {
			j.mu.Lock()
			j.queue, j.queued = nil, 0 // or the writer is measured, too
			j.mu.Unlock()
		}
		j.Add(here, me, step(strconv.Itoa(n)), e)
	}
}
