package rtc

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// FuzzReceive sends a room, alternately before and after its first sync, frames from the fuzzer: data is cut into
// frames by its length bytes. Whatever the frames, the room answers or ends with a reason, its queue stays within the
// requested size, and an intact replica has a state vector.
func FuzzReceive(f *testing.F) {
	src := ydoc.NewNotebook()
	if err := src.Edit("fill", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "é😀 = 1"}, ydoc.NewCell{Type: "markdown", Source: "# T"})
		return err
	}); err != nil {
		f.Fatal(err)
	}
	full, err := src.Diff([]byte{0})
	if err != nil {
		f.Fatal(err)
	}
	sv, err := src.StateVector()
	if err != nil {
		f.Fatal(err)
	}
	state, err := awareness.NewTable(7).SetLocal(map[string]any{"autosave": false, "user": map[string]any{"name": "Ada"}})
	if err != nil {
		f.Fatal(err)
	}
	conflict := `{"type":"conflict"}`
	saved := `{"type":"save","responseTo":1,"status":"success"}`
	frames := [][]byte{
		wire.AppendSyncStep1(nil, sv), wire.AppendSyncStep2(nil, full), wire.AppendUpdate(nil, full),
		wire.AppendAwareness(nil, state), wire.AppendRaw(nil, saved), wire.AppendRaw(nil, conflict),
		{},
		{3},
		{0, 9},
		{0, 2, 0xff, 0xff, 0xff, 0xff, 0x0f},
		wire.AppendUpdate(nil, full[:len(full)/2]),
	}
	var all []byte
	for _, b := range frames {
		f.Add(pack(b), true)
		f.Add(pack(b), false)
		all = append(all, pack(b)...)
	}
	f.Add(all, true)
	f.Add(all, false)
	f.Fuzz(func(t *testing.T, data []byte, joined bool) {
		r, v := deskRoom(t)
		if joined {
			for _, b := range frames[:2] {
				if end := r.receive(b, v); end != nil {
					t.Fatalf("a good frame ends the room: %v", end)
				}
			}
		}
		r.out.asked(syncRequest{})
		for range 64 {
			var b []byte
			if b, data = unpack(data); b == nil {
				break
			}
			if end := r.receive(b, v); end != nil {
				test.NotEq(t, "", end.Code, test.Sprint("the room ends without a reason"))
				test.NotEq(t, "", end.Error(), test.Sprint("the room ends without a reason"))
				break
			}
		}
		out := r.out.take()
		// Every SYNC1 may request the whole document, and no frame requests more.
		size, most := 0, 65*(len(full)+1<<16)
		for _, b := range out.frames {
			size += len(b)
		}
		if size > most {
			t.Errorf("%d bytes wait to be sent", size)
		}
		if _, err := r.cfg.Replica.StateVector(); err != nil && !errors.Is(err, ydoc.ErrBroken) {
			t.Errorf("the replica fails with %v", err)
		}
	})
}

// deskRoom returns a room without a connection.
func deskRoom(t *testing.T) (*Room, *connState) {
	nb := ydoc.NewNotebook()
	r := &Room{
		cfg: Config{
			Replica: nb.Doc, Limits: wire.DefaultLimits, Timing: Timing{}.withDefaults(),
			IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
		},
		session: jupyter.CollabSession{Format: "json", Type: "notebook", FileID: "file"},
		log:     slog.New(slog.DiscardHandler),
		changed: make(chan struct{}),
		company: newCompany(nb.ClientID(), nil),
		ready:   make(chan struct{}),
		done:    make(chan struct{}),
	}
	r.out = newOutbox(r.table.Unsent)
	r.ctx, r.cancel = context.WithCancel(context.Background())
	t.Cleanup(r.cancel)
	r.out.asked(syncRequest{})
	return r, &connState{}
}

// pack and unpack encode and decode a sequence of frames of up to 64 KiB.
func pack(b []byte) []byte { return append([]byte{byte(len(b) >> 8), byte(len(b))}, b...) }

func unpack(data []byte) (frame, rest []byte) {
	if len(data) < 2 {
		return nil, nil
	}
	n := min(int(data[0])<<8|int(data[1]), len(data)-2)
	return data[2 : 2+n : 2+n], data[2+n:]
}
