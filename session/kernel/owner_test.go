package kernel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestOthersKernels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k Owners
		k.Begin("a").End("one")
		k.Begin("a").End("") // which failed
		begun := k.Begin("a")
		if got, err := k.Others(t.Context(), "a"); err != nil || len(got) > 0 {
			t.Errorf("one's own: %v, %v", got, err)
		}
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
		synctest.Wait() // it waits for the kernel that is being started
		begun.End("two")
		if got := <-seen; len(got) != 2 || !got["one"] || !got["two"] {
			t.Errorf("another's: %v", got)
		}
		k.Release("one")
		if got, err := k.Others(t.Context(), "b"); err != nil || len(got) != 1 || !got["two"] {
			t.Errorf("after one was released: %v, %v", got, err)
		}
	})
}
