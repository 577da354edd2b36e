package rtc

import (
	"io"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
)

func TestStateMachine(t *testing.T) {
	allowed := map[[2]State]bool{
		{Joining, Synced}: true, {Joining, Closed}: true,
		{Synced, Lost}: true, {Synced, Closed}: true,
		{Lost, CatchingUp}: true, {Lost, Closed}: true,
		{CatchingUp, Synced}: true, {CatchingUp, Lost}: true, {CatchingUp, Closed}: true,
	}
	all := []State{Joining, Synced, Lost, CatchingUp, Closed}
	for _, from := range all {
		for _, to := range all {
			if got := from.mayBecome(to); got != allowed[[2]State{from, to}] {
				t.Errorf("%v to %v: allowed %v", from, to, got)
			}
		}
	}
}

func TestCloseReasons(t *testing.T) {
	for _, c := range []struct {
		code   int
		text   string
		want   Code
		action Action
	}{
		{1003, `{"reason":"unknown_session","sessionId":"x","reloadable":true}`, CodeSession, Discard},
		{1003, `{"reason":"version_mismatch","reloadable":true}`, CodeSession, Discard},
		{1003, `{"reason":"initialization_error","reloadable":false,"errorReason":"a folder"}`, CodeNotLoaded, GiveUp},
		{1003, "not JSON", CodeRefused, GiveUp},
		{4404, "Error initializing: a.ipynb.", CodeNotFound, GiveUp},
		{4400, "Error initializing: a.ipynb.", CodeInvalid, GiveUp},
		{4500, "Error initializing: a.ipynb.", CodeNotLoaded, GiveUp},
		{4001, "", CodeNotFound, GiveUp},
		{4002, "", CodeNotFound, GiveUp},
		{1001, "", CodeConnection, Rejoin},
		{1006, "", CodeConnection, Rejoin},
		{1005, "", CodeConnection, Rejoin},
	} {
		got := closeReason(&websocket.CloseError{Code: c.code, Text: c.text})
		test.Eq(t, c.want, got.Code)
		test.Eq(t, c.action, got.Action)
	}
	got := closeReason(io.ErrUnexpectedEOF)
	test.Eq(t, CodeConnection, got.Code, test.Sprint("a broken socket"))
	test.Eq(t, Rejoin, got.Action, test.Sprint("a broken socket"))
	test.ErrorIs(t, got, io.ErrUnexpectedEOF, test.Sprint("a broken socket"))
}

// A frame that is too long would be as long at the next attempt.
func TestTooLongAFrameIsTheEnd(t *testing.T) {
	got := closeReason(websocket.ErrReadLimit)
	test.Eq(t, CodeUnreadable, got.Code)
	test.Eq(t, GiveUp, got.Action)
}
