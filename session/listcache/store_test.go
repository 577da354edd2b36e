package listcache

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// What is kept stays within its bounds.
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
