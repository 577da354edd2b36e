package tool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test"
)

func TestKeyedLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all KeyedLock
		first, err := all.Lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := all.Lock(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		other()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := all.Lock(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		had := false
		go func() {
			second, err := all.Lock(context.Background(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			had = true
			second()
		}()
		synctest.Wait()
		if had {
			t.Error("two hold the lock")
		}
		first()
		synctest.Wait()
		test.True(t, had)
		test.LessEq(t, 0, len(all.by))
	})
}
