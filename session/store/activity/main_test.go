package activity

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asChild names a database in which this program, started by a test, notes a finding and then waits to be killed.
const asChild = "NBDUET_TEST_ACTIVITY"

func TestMain(m *testing.M) {
	if path := os.Getenv(asChild); path != "" {
		child(path)
	}
	if path := os.Getenv(asRunner); path != "" {
		runner(path)
	}
	goleak.VerifyTestMain(m)
}

// child works until it is killed.
func child(path string) {
	s, err := Open(context.Background(), Options{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
	c := Client{Key: "child", Owner: "me", Name: "child"}
	for n := 0; ; n++ {
		s.Called(c, fmt.Sprintf("file-%d.py", n%10))
		if n%50 == 0 {
			if err := s.flush(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, "failed:", err)
				os.Exit(1)
			}
			fmt.Fprintln(os.Stdout, "wrote", n+1)
		}
		time.Sleep(time.Millisecond)
	}
}

var me = Client{Key: "1", Owner: "me", Name: "claude 1.0"}

// file returns a database path in a folder that does not exist yet.
func file(t *testing.T) string { return filepath.Join(t.TempDir(), "state é#%?", "activity.db") }

func opened(t *testing.T, opt Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// store returns a Store that is closed after the test.
func store(t *testing.T, opt Options) *Store {
	t.Helper()
	s := opened(t, opt)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func recent(t *testing.T, s *Store, owner string) []Session {
	t.Helper()
	list, err := s.Recent(t.Context(), owner, 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
