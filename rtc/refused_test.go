package rtc_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A server that cannot make a room closes each connection before it sends anything. The client gives up.
func TestJoinGivesUpARoomThatCannotBeMade(t *testing.T) {
	for name, c := range map[string]struct{ given, want int }{"by default": {0, 3}, "once": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s, path := faulty(t, "x = 1")
				s.Fake.Rooms.DropAtJoin(path, 10_000)
				_, _, err := tryJoin(t, client(t, s), path, func(cfg *rtc.Config) { cfg.Refusals = c.given })
				var end *rtc.CloseError
				must.True(t, errors.As(err, &end))
				test.Eq(t, rtc.CodeNotLoaded, end.Code)
				test.Eq(t, rtc.GiveUp, end.Action)
				test.Eq(t, c.want, end.Refusals)
				test.Eq(t, c.want, connections(s, path))
			})
		})
	}
}

// The client also gives up if the room had been joined before.
func TestRejoinGivesUpARoomThatCannotBeMade(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s, path := faulty(t, "x = 1")
		r, nb := join(t, client(t, s), path, quickly)
		s.Fake.Rooms.DropAtJoin(path, 10_000)
		s.Fake.Rooms.DropAfterUpdate(path)
		insert(t, nb, 0, "y = 2")
		<-r.Done()
		var end *rtc.CloseError
		must.True(t, errors.As(r.Err(), &end))
		test.Eq(t, rtc.CodeNotLoaded, end.Code)
		test.Eq(t, 4, connections(s, path))
	})
}
