package rooms

import (
	"os"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestDrops(t *testing.T) {
	for _, c := range []struct {
		name string
		arm  func(w *world, path string)

		applied bool
	}{
		{"after", func(w *world, path string) { w.DropAfterUpdate(path) }, true},
		{"before", func(w *world, path string) { w.DropBeforeUpdate(path) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, Config{}, func(t *testing.T, w *world) {
				path := w.write("a.ipynb", twoCells)
				a, b := w.join(path), w.join(path)
				a.sees("sync step 1", joined)
				b.sees("sync step 1", joined)
				c.arm(w, path)
				a.typeInto(0, "edit ")
				a.sees("cut")
				want := "x = 1\nx|# Title"
				if c.applied {
					want = "edit " + want
					b.sees("update: cells")
				}
				d := w.join(path)
				if got := d.sources(); got != want {
					t.Errorf("the room has %q, want %q", got, want)
				}
				b.typeInto(0, "again ") // only once
				b.sees("update: nothing")
			})
		})
	}
}

func TestDropsAtJoin(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		w.DropAtJoin(path, 1)
		w.join(path).sees("cut")
		w.DropAtSync(path, 1)
		w.join(path).sees(joined, "cut")
		w.DropAtSave(path, 1)
		a := w.join(path)
		a.sees("sync step 1", joined)
		a.send(wire.AppendSave(nil, 7))
		a.sees("cut")
		b := w.join(path)
		b.send(wire.AppendSave(nil, 7))
		b.sees("sync step 1", joined, success, "update: dirty=false", "update: hash=…")
		want := [][]wire.FrameKind{nil, {wire.SyncStep1}, {wire.SyncStep1, wire.Raw}, {wire.SyncStep1, wire.Raw}}
		if got := w.Received(path); !reflect.DeepEqual(got[1:], want[1:]) {
			t.Errorf("received %v, want %v", got, want)
		}
	})
}

func TestSaveFaults(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		a.sees("sync step 1", joined)
		w.SaveWithoutWriting(true)
		a.typeInto(0, "edit ")
		a.send(wire.AppendSave(nil, 7))
		a.sees("update: nothing", success)
		w.has(path, "edit", false)
		w.SaveWithoutWriting(false)
		w.FailSaves(true)
		time.Sleep(2 * time.Second)
		a.send(wire.AppendSave(nil, 7))
		a.sees(`raw {"type": "save", "responseTo": 7, "status": "failed"}`)
		w.has(path, "edit", false)
		w.FailSaves(false)
		a.send(wire.AppendSave(nil, 7))
		a.sees(success, "update: dirty=false", "update: hash=…")
		w.has(path, "edit", true)
		if err := os.Chmod(w.os(path), 0o444); err != nil {
			t.Fatal(err)
		}
		a.typeInto(0, "read-only ")
		a.send(wire.AppendSave(nil, 7))
		a.sees("update: nothing", success)
		w.has(path, "read-only", false)
	})
}

func TestHoldMuteConflict(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		w.HoldSync(true)
		a := w.join(path)
		a.sees("sync step 1")
		w.HoldSync(false)
		a.sees(joined)
		w.Conflict(path)
		a.sees(`raw {"type": "conflict"}`)
		w.Mute(true)
		a.ws.SetPongHandler(func(string) error { a.log("pong"); return nil })
		ping := func() {
			if err := a.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)); err != nil {
				t.Error(err)
			}
		}
		ping()
		a.typeInto(0, "heard ")
		a.send(wire.AppendSyncStep1(nil, []byte{0}))
		time.Sleep(40 * time.Second)
		a.sees()
		w.has(path, "heard", true)
		w.Mute(false)
		ping()
		a.sees("pong")
		a.send(wire.AppendSyncStep1(nil, []byte{0}))
		a.sees("sync step 2: dirty=false, hash=…")
		w.Drop(path)
		a.sees("cut")
		b := w.join(path)
		b.sees("sync step 1", again)
		whole, ok := w.Snapshot(path)
		must.True(t, ok, must.Sprint("the snapshot is not what the client has"))
		test.Eq(t, "nothing", b.apply(whole), test.Sprint("the snapshot is not what the client has"))
		w.DropAll()
		b.sees("cut")
		if _, ok := w.Snapshot("none.ipynb"); ok {
			t.Error("there is a snapshot of nothing")
		}
	})
}

// A table can be closed at any moment, with saves, clients and timers running, and again.
func TestClose(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path, other := w.write("a.ipynb", twoCells), w.write("b.txt", "text")
		a, b := w.join(path), w.join(other)
		synctest.Wait()
		w.SlowSave(time.Hour)
		a.typeInto(0, "saving ")
		a.send(wire.AppendSave(nil, 7))
		synctest.Wait()
		b.look()
		w.Close()
		w.has(path, "saving", true)
		b.sees("cut")
		w.Close()
		_, ok := w.Snapshot(path)
		test.False(t, ok, test.Sprint("a room is left"))
		test.False(t, w.Open(w.roomOf(path)), test.Sprint("a room is left"))
		if _, err := dialRoom(t, websocket.Dialer{NetDialContext: w.net.dial}, "ws://server/api/collaboration/room/x:y"); err == nil {
			t.Error("a closed table takes a client")
		}
	})
}
