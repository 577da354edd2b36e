package activity

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/store/sqlite"
)

// A process that is killed at any moment leaves a readable database, with all that it had written.
func TestKilled(t *testing.T) {
	path := file(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	here := store(t, Options{Path: path}) // two processes at once
	wrote := 0
	lines := bufio.NewScanner(out)
	for wrote < 200 && lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "wrote %d", &wrote); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		here.Called(me, "mine.py")
		if err := here.flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child was not killed")
	}
	next := store(t, Options{Path: path})
	list := recent(t, next, "me")
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for _, s := range list {
		if s.Client == "child" && (s.ToolCalls < wrote || len(s.Files) != 10) {
			t.Errorf("of the killed one there are %d calls of %d, %d files", s.ToolCalls, wrote, len(s.Files))
		}
	}
	var check string
	err = next.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check)
	must.NoError(t, err, must.Sprint("integrity"))
	test.Eq(t, "ok", check, test.Sprint("integrity"))
}

// With a full disk nothing fails and nothing is lost, and it is written when space is free again.
func TestFullDisk(t *testing.T) {
	path := file(t)
	var log lockedBuffer
	s := opened(t, Options{Path: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var pages int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages)
	text := strings.Repeat("long ", 500)
	for i := range 20 {
		if _, err := s.Noted(me, nil, []Discovery{{Text: fmt.Sprint(i, text)}}); err != nil {
			t.Fatal(err)
		}
	}
	// The writer has tried by now and pauses, or it may interfere with the writes below.
	for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), "memory only"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log is %q", log.String())
		}
	}
	err := s.flush(t.Context())
	must.Error(t, err)
	must.StrContains(t, err.Error(), "full")
	for range 2 {
		if !s.writer.Report(err) {
			t.Error("a failed write is not told")
		}
	}
	if strings.Count(log.String(), "memory only") != 1 {
		t.Errorf("the log is %q", log.String())
	}
	got, ok := s.Current(me.Key)
	must.True(t, ok)
	test.SliceLen(t, 20, got.Discoveries)
	list := recent(t, s, "me")
	must.SliceLen(t, 1, list)
	test.SliceLen(t, 20, list[0].Discoveries)
	limit(pages + 1000)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list = recent(t, store(t, Options{Path: path}), "me")
	must.SliceLen(t, 1, list, must.Sprint("after there was room again"))
	test.SliceLen(t, 20, list[0].Discoveries, test.Sprint("after there was room again"))
}

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

// A database of each older version is migrated to the newest, with its content.
func TestOlderSchema(t *testing.T) {
	path := file(t)
	old := raw(t, path)
	started := time.Now().Add(-time.Hour).UnixMilli()
	for _, q := range []string{
		steps[0], "PRAGMA user_version = 1",
		fmt.Sprintf("INSERT INTO sessions VALUES ('abc', 'me', 'c', %d, %d, %d, 7)", started, started+1000, started+2000),
		"INSERT INTO discoveries VALUES ('abc', 0, 'found long ago', 5)",
	} {
		if _, err := old.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	// Several at once: one of them migrates.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Open(t.Context(), Options{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := store(t, Options{Path: path})
	list := recent(t, s, "me")
	must.SliceLen(t, 1, list)
	must.Eq(t, 7, list[0].ToolCalls)
	must.Eq(t, Ended, list[0].Status)
	must.SliceLen(t, 1, list[0].Discoveries)
	must.Eq(t, "found long ago", list[0].Discoveries[0].Text)
	if _, err := s.Noted(me, nil, []Discovery{{Text: "a", Solution: "b"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestNewerSchema(t *testing.T) {
	path := file(t)
	db := raw(t, path)
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Path: path})
	must.Error(t, err, must.Sprint(s))
	test.StrContains(t, err.Error(), "newer nbduet", test.Sprint(s))
}

// The error for a database that cannot be opened names its path.
func TestNoDatabase(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(text, "below.db"), text} {
		_, err := Open(t.Context(), Options{Path: path})
		must.Error(t, err)
		test.StrContains(t, err.Error(), path)
	}
}

// raw opens a database without any schema.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// Two writes that fail in sequence, the later begun before the earlier has ended, lose nothing.
func TestFailedWritesAtOnce(t *testing.T) {
	s := store(t, Options{Path: Memory})
	note := func(text string) {
		t.Helper()
		if _, err := s.Noted(me, []string{text}, []Discovery{{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	s.writer.Stop()
	note("one")
	first := s.changes()
	note("two")
	second := s.changes()
	s.markWritten(first, false)
	s.markWritten(second, false)
	if err := s.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.End(me.Key) // the list is the written one
	list := recent(t, s, "me")
	must.SliceLen(t, 1, list)
	must.SliceLen(t, 2, list[0].Discoveries)
	test.SliceLen(t, 2, list[0].Topics)
}
