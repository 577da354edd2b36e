package kernel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestOthersKernels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k Owners
		k.Begin("a").End("one")
		k.Begin("a").End("") // a failed start
		begun := k.Begin("a")
		got, err := k.Others(t.Context(), "a")
		must.NoError(t, err, must.Sprint("one's own"))
		test.LessEq(t, 0, len(got), test.Sprint("one's own"))
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := k.Others(ctx, "b"); !errors.Is(err, context.Canceled) {
			t.Errorf("while one is being started: %v", err)
		}
		seen := make(chan map[string]bool)
		go func() {
			got, err := k.Others(t.Context(), "b")
			if err != nil {
				t.Error(err)
			}
			seen <- got
		}()
		synctest.Wait() // it waits for the starting kernel
		begun.End("two")
		got = <-seen
		must.MapLen(t, 2, got, must.Sprint("another's"))
		test.True(t, got["one"], test.Sprint("another's"))
		test.True(t, got["two"], test.Sprint("another's"))
		k.Release("one")
		got, err = k.Others(t.Context(), "b")
		must.NoError(t, err, must.Sprint("after one was released"))
		must.MapLen(t, 1, got, must.Sprint("after one was released"))
		test.True(t, got["two"], test.Sprint("after one was released"))
	})
}
