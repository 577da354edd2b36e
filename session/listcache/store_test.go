package listcache

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test/must"
)

// What is kept stays within its bounds, which are free again when it is too old.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, maxBytes / 4, 2 * maxBytes} {
			s := store{answers: make(map[string]*answer)}
			asked := 0
			ask := func(key string) {
				t.Helper()
				if _, err := get(t.Context(), &s, key, func() (int, int, error) { asked++; return asked, size, nil }); err != nil {
					t.Fatal(err)
				}
				must.LessEq(t, maxAnswers, len(s.answers))
				must.LessEq(t, maxBytes, s.bytes)
				must.Eq(t, size*len(s.answers), s.bytes)
			}
			for i := range 2 * maxAnswers {
				ask(fmt.Sprint(i))
			}
			if asked != 2*maxAnswers {
				t.Errorf("asked %d times", asked)
			}
			time.Sleep(For)
			ask("new")
			ask("new")
			if want := 2*maxAnswers + 1; size <= maxBytes && asked != want {
				t.Errorf("asked %d times, want %d", asked, want)
			}
		}
	})
}
