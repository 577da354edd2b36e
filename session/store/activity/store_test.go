package activity

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestCurrentSession(t *testing.T) {
	s := store(t, Options{Path: Memory})
	if _, ok := s.Current(me.Key); ok {
		t.Error("a client that has done nothing has a session")
	}
	s.Called(me, "a.ipynb")
	s.Called(me, "b.md", "a.ipynb")
	s.Called(me)
	got, err := s.Noted(me, []string{"sales", " sales ", "", "tax"}, []Discovery{{Text: "prices are net"}, {Text: "slow join", Solution: "an index", Module: "db"}})
	if err != nil {
		t.Fatal(err)
	}
	test.Eq(t, 3, got.ToolCalls)
	test.Eq(t, []string{"sales", "tax"}, got.Topics)
	must.SliceLen(t, 2, got.Discoveries)
	test.Eq(t, Active, got.Status)
	test.Eq(t, me.Name, got.Client)
	f := got.Files
	must.SliceLen(t, 2, f)
	test.Eq(t, "a.ipynb", f[0].Path)
	test.Eq(t, 2, f[0].Count)
	test.Eq(t, 1, f[1].Count)
	test.False(t, f[0].Last.IsZero())
	if _, ok := s.Current("2"); ok {
		t.Error("another client sees it")
	}
	list := recent(t, s, "me")
	must.SliceLen(t, 1, list)
	test.Eq(t, 3, list[0].ToolCalls)
	if list := recent(t, s, "somebody else"); len(list) != 0 {
		t.Errorf("somebody else sees %+v", list)
	}
	s.End(me.Key)
	s.End(me.Key)
	if _, ok := s.Current(me.Key); ok {
		t.Error("it goes on after its end")
	}
}

// Everything that was noted is available in the next process.
func TestSessionsAreKept(t *testing.T) {
	path := file(t)
	s := opened(t, Options{Path: path})
	s.Called(me, "a.ipynb")
	s.Called(me, "a.ipynb")
	found := []Discovery{{Text: "one"}, {Text: "two", Solution: "three", Module: "m"}}
	if _, err := s.Noted(me, []string{"x", "y"}, found); err != nil {
		t.Fatal(err)
	}
	if err := s.flush(t.Context()); err != nil { // some of it in an earlier write
		t.Fatal(err)
	}
	s.Called(me, "a.ipynb", "c")
	if _, err := s.Noted(me, []string{"z"}, []Discovery{{Text: "four"}}); err != nil {
		t.Fatal(err)
	}
	was, _ := s.Current(me.Key)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	must.NoError(t, err)
	test.Eq(t, 0o600, info.Mode().Perm())

	next := store(t, Options{Path: path})
	list := recent(t, next, "me")
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	got := list[0]
	test.Eq(t, was.ID, got.ID)
	test.Eq(t, Ended, got.Status)
	test.Eq(t, 3, got.ToolCalls)
	test.Eq(t, me.Name, got.Client)
	test.Eq(t, []string{"x", "y", "z"}, got.Topics)
	f := got.Files
	must.SliceLen(t, 2, f)
	test.Eq(t, "a.ipynb", f[0].Path)
	test.Eq(t, 3, f[0].Count)
	test.Eq(t, was.Files[0].Last.UnixMilli(), f[0].Last.UnixMilli())
	d := got.Discoveries
	must.SliceLen(t, 3, d)
	test.Eq(t, "two", d[1].Text)
	test.Eq(t, "three", d[1].Solution)
	test.Eq(t, "m", d[1].Module)
	test.Eq(t, "four", d[2].Text)
}

// The writer writes in the background, and the unended session of an older process is interrupted once it has been silent
// for long.
func TestWrittenInTheBackground(t *testing.T) {
	path := file(t)
	s, other := store(t, Options{Path: path}), store(t, Options{Path: path})
	s.Called(me, "a.py")
	deadline := time.Now().Add(time.Minute)
	var list []Session
	for len(list) == 0 && time.Now().Before(deadline) {
		list = recent(t, other, "me")
		time.Sleep(10 * time.Millisecond)
	}
	must.SliceLen(t, 1, list)
	must.Eq(t, Active, list[0].Status)
	must.SliceLen(t, 1, list[0].Files)
	old := time.Now().Add(-Silence - time.Second)
	if _, err := other.db.ExecContext(t.Context(), "UPDATE sessions SET seen = ?", old.UnixMilli()); err != nil {
		t.Fatal(err)
	}
	list = recent(t, other, "me")
	test.Eq(t, Interrupted, list[0].Status)
	test.Eq(t, old.UnixMilli(), list[0].Until.UnixMilli())
	s.heartbeat(time.Now())
	if err := s.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list = recent(t, other, "me"); list[0].Status != Active {
		t.Errorf("after a sign of life it is %+v", list[0])
	}
}

func TestBounds(t *testing.T) {
	s := store(t, Options{Path: Memory})
	for i := range maxFiles + 100 {
		s.Called(me, fmt.Sprint(i))
	}
	long := strings.Repeat("ä", maxText)
	got, err := s.Noted(me, []string{long + "\xff"}, nil)
	must.NoError(t, err)
	must.SliceLen(t, maxFiles, got.Files)
	test.Eq(t, maxFiles+100, got.ToolCalls)
	must.LessEq(t, maxText, len(got.Topics[0]))
	test.StrHasPrefix(t, got.Topics[0], long)
	if _, err := s.Noted(me, nil, make([]Discovery, maxDiscoveries+1)); err == nil {
		t.Error("more discoveries than are kept were taken")
	}
	for i := range maxCurrent + 10 {
		s.Called(Client{Key: fmt.Sprint("k", i), Owner: "many"})
	}
	s.mu.Lock()
	n := len(s.sessions)
	s.mu.Unlock()
	if n > maxCurrent {
		t.Errorf("%d sessions go on", n)
	}
	list, err := s.Recent(t.Context(), "many", 5)
	must.NoError(t, err)
	test.SliceLen(t, 5, list)
}

func TestOldestSessionsGo(t *testing.T) {
	path := file(t)
	s := opened(t, Options{Path: path})
	for i := range 3 {
		if _, err := s.db.ExecContext(t.Context(), "INSERT INTO sessions (id, owner, client, started, seen) VALUES (?, 'me', '', ?, 0)", fmt.Sprint("kept", i), 1_000_000+i); err != nil {
			t.Fatal(err)
		}
	}
	const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO sessions (id, owner, client, started, seen) SELECT 'old' || i, 'me', '', i, 0 FROM n`
	if _, err := s.db.ExecContext(t.Context(), many, maxSessions); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.ExecContext(t.Context(), "INSERT INTO files VALUES ('old1', 'f', 1, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = store(t, Options{Path: path})
	var sessions, files int
	row := s.db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM files)")
	err := row.Scan(&sessions, &files)
	must.NoError(t, err)
	test.Eq(t, maxSessions, sessions)
	test.Eq(t, 0, files)
	if list := recent(t, s, "me"); list[0].ID != "kept2" {
		t.Errorf("the latest is %s", list[0].ID)
	}
}

func TestCloseWithoutTime(t *testing.T) {
	s := opened(t, Options{Path: file(t)})
	s.writer.Stop() // or it may be faster
	s.Called(me)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ctx); err == nil {
		t.Error("what could not be written is not told")
	}
}
