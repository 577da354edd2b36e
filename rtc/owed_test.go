package rtc

import (
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A caller that waits for a confirmation gets an error if the state that confirms it cannot be applied: its edit may
// have been made.
func TestUnreadableStateIsReported(t *testing.T) {
	r, v := deskRoom(t)
	if end := r.onStep2([]byte{0, 0}, v); end != nil { // the first one, of an empty document
		t.Fatal(end)
	}
	waiting, later := newTicket(), newTicket()
	r.out.asked(syncRequest{tickets: []ticket{waiting}})
	r.out.wait(later)
	end := r.onStep2([]byte("no update"), v)
	must.NotNil(t, end)
	must.Eq(t, GiveUp, end.Action)
	must.True(t, end.Unsure)
	r.finish(end)
	for _, ticket := range []ticket{waiting, later} {
		select {
		case err := <-ticket:
			var told *CloseError
			must.True(t, errors.As(err, &told))
			test.True(t, told.Unsure)
		default:
			t.Error("a caller waits for ever")
		}
	}
}
