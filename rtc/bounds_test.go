package rtc

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// synced returns a room without a connection after its first exchange, with a notebook of some size.
func synced(t *testing.T) (*Room, *connState, []byte) {
	t.Helper()
	src := ydoc.NewNotebook()
	if err := src.Edit("fill", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: strings.Repeat("x = 1\n", 1000)})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	full, err := src.Diff([]byte{0})
	if err != nil {
		t.Fatal(err)
	}
	sv, err := src.StateVector()
	if err != nil {
		t.Fatal(err)
	}
	r, v := deskRoom(t)
	for _, b := range [][]byte{wire.AppendSyncStep1(nil, sv), wire.AppendSyncStep2(nil, full)} {
		if end := r.receive(b, v); end != nil {
			t.Fatal(end)
		}
	}
	if r.State() != Synced {
		t.Fatalf("the room is %v", r.State())
	}
	return r, v, full
}

// waiting returns the number of queued bytes and frames.
func waiting(r *Room) (size, frames int) {
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	for _, f := range r.out.frames {
		size += len(f)
	}
	return size, len(r.out.frames)
}

// A server that requests the whole document again and again, and accepts no answer, does not fill our memory with
// answers.
func TestAnswersDoNotPileUp(t *testing.T) {
	r, v, full := synced(t)
	for range 1000 {
		if end := r.receive(wire.AppendSyncStep1(nil, []byte{0}), v); end != nil {
			t.Fatal(end)
		}
	}
	size, frames := waiting(r)
	test.LessEq(t, 3*len(full), size)
	test.LessEq(t, 2, frames)
}

// An answer that is replaced by a newer one stays before the edits that may depend on it.
func TestAnswerKeepsItsPlace(t *testing.T) {
	o := newOutbox(func() []byte { return nil })
	o.keepEdits()
	for _, f := range []string{"edit 1", "answer 1", "edit 2", "answer 2", "edit 3"} {
		if strings.HasPrefix(f, "answer") {
			o.answer([]byte(f))
		} else {
			o.update([]byte(f))
		}
	}
	o.start([]byte("first"))
	o.answer([]byte("answer 3"))
	if got := fmt.Sprintf("%s", o.take().frames); got != "[first edit 1 answer 3 edit 2 edit 3]" {
		t.Errorf("sent %s", got)
	}
	o.answer([]byte("answer 4"))
	if got := fmt.Sprintf("%s", o.take().frames); got != "[answer 4]" {
		t.Errorf("sent %s", got)
	}
}

// Only one request for the whole state is pending at a time, however often something is missing. Another one follows
// if the answer may lack later updates.
func TestRepairsDoNotPileUp(t *testing.T) {
	r, v, full := synced(t)
	requests := func() (n int) {
		for range 1000 {
			if end := r.receive([]byte{0, 2, 3, 1, 1, 1}, v); end != nil { // not an update
				t.Fatal(end)
			}
			if b := r.out.take(); b.full {
				r.out.asked(syncRequest{full: true})
				n++
			}
		}
		return n
	}
	if n := requests(); n != 1 {
		t.Errorf("%d requests are on their way, want one", n)
	}
	for range 2 { // deskRoom's own request is answered first
		if end := r.receive(wire.AppendSyncStep2(nil, full), v); end != nil {
			t.Fatal(end)
		}
	}
	if n := requests(); n != 1 {
		t.Errorf("%d requests after the answer, want one", n)
	}
}

// Updates that come before the first answer wait for it, up to a bound.
func TestEarlyUpdatesAreBounded(t *testing.T) {
	r, v := deskRoom(t)
	b := wire.AppendUpdate(nil, make([]byte, 1<<20))
	for i := range 2 * maxEarly >> 20 {
		end := r.receive(b, v)
		if v.size > maxEarly+len(b) {
			t.Fatalf("%d bytes are kept", v.size)
		}
		if end != nil {
			test.Eq(t, Rejoin, end.Action)
			test.GreaterEq(t, 60, i)
			return
		}
	}
	t.Error("there is no bound")
}

// A room that sends faster than we read has to wait; it does not fill our memory.
func TestUnreadFramesAreBounded(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		const size = 3 << 20
		sent := make(chan int, 1)
		address := jupytertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				sent <- 0
				return
			}
			defer func() { _ = ws.Close() }()
			n := 0
			for ; n < 200; n++ {
				// A write that blocks for that long is no longer read.
				if ws.SetWriteDeadline(time.Now().Add(5*time.Second)) != nil || ws.WriteMessage(websocket.BinaryMessage, make([]byte, size)) != nil {
					break
				}
			}
			sent <- n
		}))
		dialer := websocket.Dialer{NetDialContext: jupytertest.Dial(t)}
		ws, resp, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(address, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		l := newLink(ws, Timing{}.withDefaults(), Timing{}.withDefaults().silence, func() {}, func(ctx context.Context) ([][]byte, bool, bool) {
			<-ctx.Done() // nothing to write
			return nil, false, false
		})
		n := <-sent
		held := l.held.Load()
		test.LessEq(t, maxHeld, held)
		test.GreaterEq(t, maxHeld/2, held)
		test.LessEq(t, 2*maxHeld, n*size)
		for l.held.Load() > 0 {
			l.release(<-l.in)
		}
		l.close()
	})
}
