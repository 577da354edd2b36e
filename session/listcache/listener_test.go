package listcache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/listcache"
)

// What somebody else does through the server is listed as soon as the server tells it.
func TestTold(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for _, name := range []string{"a/one.txt", "b/two.txt"} {
			r.settled()
			r.upload(name)
			r.within(listcache.For*3/4, name, func() bool {
				paths, _ := r.walk()
				return strings.Contains(paths, name)
			})
		}
		r.settled()
		if err := r.other.Contents.Delete(t.Context(), r.at("a/one.txt")); err != nil {
			t.Fatal(err)
		}
		r.within(listcache.For*3/4, "the end of a file", func() bool {
			paths, _ := r.walk()
			return !strings.Contains(paths, "a/one.txt")
		})
		if n := r.tries.Load(); n != 1 {
			t.Errorf("%d subscriptions", n)
		}
	})
}

// The subscription ends when no lists are asked for, begins again with the next one, also after it was lost, and is not tried
// again soon where there is none.
func TestSubscription(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t)
		hears := func(there, tries int32) {
			t.Helper()
			time.Sleep(time.Second)
			test.Eq(t, there, r.hears.Load())
			test.Eq(t, tries, r.tries.Load())
		}
		hears(0, 0)
		for range 4 { // used all the time
			r.walk()
			hears(1, 1)
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Minute)
		hears(0, 1)
		r.walk()
		hears(1, 2)
		r.set(func() { r.lose() })
		hears(0, 2)
		time.Sleep(time.Second)
		r.walk()
		hears(1, 3)
		r.set(func() { r.lose(); r.deaf = true })
		time.Sleep(time.Minute)
		for range 5 {
			r.walk()
			hears(0, 4)
		}
		time.Sleep(time.Minute)
		r.set(func() { r.deaf = false })
		r.walk()
		hears(1, 5)
	})
}

// A server that is known to be away is not asked for its events.
func TestAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.m.Servers().Documents.Health.Silent(time.Now())
		if _, err := r.lists.Folder(t.Context(), r.at("a")); err != nil {
			t.Fatal(err)
		}
		if n := r.tries.Load(); n != 0 {
			t.Errorf("%d subscriptions to a server that is away", n)
		}
		_, err := r.lists.Folder(t.Context(), r.at("a"))
		must.NoError(t, err)
		test.Eq(t, 1, r.tries.Load())
	})
}
