package listcache

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A request that panics blocks no other caller, and leaves nothing behind.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		go func() {
			defer func() { test.NotNil(t, recover()) }()
			_, _ = get(t.Context(), s, "a", func() (int, int, error) {
				time.Sleep(time.Second)
				panic("broken")
			})
		}()
		synctest.Wait() // it is in progress
		got, err := get(t.Context(), s, "a", func() (int, int, error) { return 1, 1, nil })
		test.NoError(t, err)
		test.EqOp(t, 1, got)
		test.EqOp(t, 0, s.answers.Len())
	})
}

// The cache stays within its bounds.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, entries := range []int{1, maxEntries / 4, 2 * maxEntries} {
			s := newStore()
			asked := 0
			ask := func(key string) {
				t.Helper()
				_, err := get(t.Context(), s, key, func() (int, int, error) { asked++; return asked, entries, nil })
				must.NoError(t, err)
				must.LessEq(t, maxAnswers, s.answers.Len())
				must.LessEq(t, maxEntries, s.entries)
				must.LessEq(t, s.entries, entries*s.answers.Len())
			}
			for i := range 2 * maxAnswers {
				ask(fmt.Sprint(i))
			}
			test.EqOp(t, 2*maxAnswers, asked)
			time.Sleep(For)
			ask("new")
			ask("new")
			want := 2*maxAnswers + 1
			if entries > maxEntries {
				want++ // too large to be kept
			}
			test.EqOp(t, want, asked)
		}
	})
}
