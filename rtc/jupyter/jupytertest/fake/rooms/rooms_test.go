package rooms

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

const twoCells = `{"cells": [
 {"cell_type": "code", "id": "c0", "source": ["x = 1\n", "x"], "metadata": {}, "execution_count": 2, "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["1\n"]}]},
 {"cell_type": "markdown", "id": "c1", "source": "# Title", "metadata": {}}],
 "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`

// sees checks a peer's frames since the last look, when all goroutines wait. A hash is shown as "…".
func (p *peer) sees(want ...string) {
	p.t.Helper()
	synctest.Wait()
	got := p.look()
	for i := range got {
		got[i] = random.ReplaceAllString(got[i], "…")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		p.t.Errorf("was sent\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// has checks a file's content when all goroutines wait.
func (w *world) has(path, part string, want bool) {
	w.t.Helper()
	synctest.Wait()
	if got := strings.Contains(w.file(path), part); got != want {
		w.t.Errorf("the file has %q: %v, want %v", part, got, want)
	}
}

// sources returns the sources of the cells in a peer's replica.
func (p *peer) sources() string {
	synctest.Wait()
	var list []string
	cells, _ := p.values()["cells"].([]any)
	for _, c := range cells {
		list = append(list, fmt.Sprint(c.(map[string]any)["source"]))
	}
	return strings.Join(list, "|")
}

func bubble(t *testing.T, cfg Config, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newWorld(t, cfg)) })
}

const (
	joined  = "sync step 2: cells, meta, path=a.ipynb"
	again   = "sync step 2: cells, meta, dirty=false, hash=…, path=a.ipynb"
	success = `raw {"type": "save", "responseTo": 7, "status": "success"}`
)

func TestJoinEditSave(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		a.sees("sync step 1", joined)
		a.typeInto(0, "é😀 ")
		a.sees("update: nothing")
		time.Sleep(999 * time.Millisecond)
		w.has(path, "é😀", false)
		time.Sleep(time.Millisecond)
		w.has(path, `    "é😀 x = 1\n",`, true)
		info, err := w.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.state.Get("hash"); got != info.Hash {
			t.Errorf("the state's hash is %v, want %v", got, info.Hash)
		}
		a.sees("update: dirty=false", "update: hash=…")
		a.send(wire.AppendSave(nil, 7))
		a.sees(success, "update: nothing", "update: nothing")
	})
}

// The file is written a second after the last edit, even if edits continue for long.
func TestContinuousEditsAreNotSaved(t *testing.T) {
	bubble(t, Config{}, func(_ *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		synctest.Wait()
		for range 10 {
			a.typeInto(0, "Q")
			time.Sleep(500 * time.Millisecond)
		}
		w.has(path, "Q", false)
		time.Sleep(500 * time.Millisecond)
		w.has(path, "QQQQQQQQQQx = 1", true)
	})
}

// If an edit comes during a save, the file is still written, but no client is notified.
func TestSaveIsBrokenOff(t *testing.T) {
	bubble(t, Config{}, func(_ *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		a.sees("sync step 1", joined)
		w.SlowSave(2 * time.Second)
		a.typeInto(0, "one ")
		time.Sleep(1500 * time.Millisecond)
		a.typeInto(0, "two ")
		time.Sleep(1600 * time.Millisecond)
		w.has(path, `"one x`, true)
		a.sees("update: nothing", "update: nothing")
		time.Sleep(2 * time.Second) // the second save waits for the first, and then takes as long
		w.has(path, `"two one x`, true)
		a.sees("update: dirty=false", "update: hash=…")
		a.typeInto(0, "three ")
		a.send(wire.AppendSave(nil, 7))
		time.Sleep(time.Second)
		b := w.join(path)
		b.sees("sync step 1", again)
		b.typeInto(0, "four ")
		time.Sleep(1100 * time.Millisecond)
		a.sees("update: nothing", "update: cells", success)
	})
}

func TestEviction(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		id := w.roomOf(path)
		a := w.join(path)
		a.sees("sync step 1", joined)
		a.typeInto(0, "edit ")
		synctest.Wait()
		a.leave()
		time.Sleep(50 * time.Second)
		w.has(path, "edit", true)
		b := w.join(path) // postpones the end of the room
		b.sees("sync step 1", again)
		b.leave()
		time.Sleep(59 * time.Second)
		if synctest.Wait(); !w.Open(id) {
			t.Error("the room went early")
		}
		time.Sleep(time.Second)
		if synctest.Wait(); w.Open(id) {
			t.Error("the room is still there")
		}
		c := w.join(path)
		c.sees("sync step 1", "sync step 2: cells, meta, dirty=false, path=a.ipynb") // now trusted, which the history lacks
		before := c.replica.ClientID()
		w.Evict(path)
		c.sees("cut")
		w.ForgetHistory(path)
		d := w.join(path)
		d.sees("sync step 1", joined)
		test.NotEq(t, d.replica.ClientID(), before)
		test.Eq(t, "edit x = 1\nx|# Title", d.sources())
	})
}

// A restarted server has the history of the one before, without its unsaved changes.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &Store{}
		w := newWorld(t, Config{Store: store})
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		synctest.Wait()
		a.typeInto(0, "saved ")
		time.Sleep(2 * time.Second)
		a.typeInto(0, "unsaved ")
		synctest.Wait()
		w.Close()
		<-a.done
		w2 := serveRooms(t, w.folder, New(Config{Files: w.folder, Store: store}))
		b := w2.join(path)
		if got := b.sources(); got != "saved x = 1\nx|# Title" {
			t.Errorf("the new server has %q", got)
		}
		whole, err := a.replica.Diff(nil)
		if err != nil {
			t.Fatal(err)
		}
		b.send(wire.AppendSyncStep2(nil, whole))
		if got := b.sources(); got != "saved x = 1\nx|# Title" {
			t.Errorf("with the old replica merged it has %q", got)
		}
	})
}

func TestProgressiveLoading(t *testing.T) {
	bubble(t, Config{Progressive: true}, func(t *testing.T, w *world) {
		var cells []string
		for i := range 40 {
			cells = append(cells, fmt.Sprintf(`{"cell_type": "raw", "id": "c%d", "source": "%d", "metadata": {}}`, i, i))
		}
		path := w.write("a.ipynb", `{"cells": [`+strings.Join(cells, ",")+`], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
		a := w.join(path)
		a.sees("sync step 1", "sync step 2: meta, path=a.ipynb")
		a.send(wire.AppendSave(nil, 7))
		a.sees(`raw {"type": "save", "responseTo": 7, "status": "skipped"}`)
		time.Sleep(10 * time.Millisecond)
		if n := strings.Count(a.sources(), "|"); n != 9 {
			t.Errorf("after 10 ms there are %d cells", n+1)
		}
		a.typeInto(0, "edit ")
		time.Sleep(60 * time.Millisecond)
		if n := strings.Count(a.sources(), "|"); n != 39 {
			t.Errorf("in the end there are %d cells", n+1)
		}
		w.has(path, "edit 0", true) // at once
	})
}

// The server renews its own entry every 15 seconds, and drops clients that were silent for 30.
func TestPresence(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		synctest.Wait()
		r := w.at(path)[0]
		a.send(awarenessOf(9, 1, `{"autosave": false}`))
		synctest.Wait()
		a.typeInto(0, "off ")
		time.Sleep(29 * time.Second)
		w.has(path, "off", false)
		r.do(func() {
			if n := r.people.clocks[r.people.own]; n != 1 {
				t.Errorf("the server renewed its entry %d times in 29 s", n)
			}
		})
		time.Sleep(5 * time.Second)
		a.typeInto(0, "on ")
		time.Sleep(2 * time.Second)
		w.has(path, "on off", true)
	})
}

func TestAutosaveWords(t *testing.T) {
	for _, c := range []struct {
		states []string
		want   bool
	}{
		{nil, true},
		{[]string{`{}`}, true},
		{[]string{`{"autosave": false}`}, false},
		{[]string{`{"autosave": false}`, `{}`}, false},
		{[]string{`{"autosave": false}`, `{"user": 1}`}, true},
		{[]string{`{"autosave": false}`, `{"autosave": true}`}, true},
		{[]string{`{"autosave": null}`, `{"autosave": 0}`}, false},
	} {
		p := newPresence(1, time.Now())
		for i, s := range c.states {
			p.apply(awarenessOf(byte(i+2), 1, s)[2:], time.Now())
		}
		if got := p.autosave(); got != c.want {
			t.Errorf("%v: %v, want %v", c.states, got, c.want)
		}
	}
}

// All clients that join a new empty notebook at once see one document with one cell.
func TestColdNotebookIsMadeOnce(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
		peers := make([]*peer, 12)
		var wg sync.WaitGroup
		w.id(path)
		for i := range peers {
			wg.Go(func() { peers[i] = w.join(path) })
		}
		wg.Wait()
		synctest.Wait()
		for _, p := range peers {
			test.Eq(t, peers[0].values(), p.values())
			test.Eq(t, 1, p.cells.Len())
		}
		if n := w.Clients(path); n != 12 {
			t.Errorf("%d clients are there", n)
		}
	})
}

// An update that breaks the replica does not end the room.
func TestRoomSurvivesABadUpdate(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		a.sees("sync step 1", joined)
		r := w.at(path)[0]
		double := crdt.New(crdt.Options{ClientID: r.doc.ClientID()})
		source := double.Root("source", crdt.KindText)
		double.Read("write", func() { double.Transact(func(x *crdt.Tx) { x.InsertText(source, 0, "as the server") }) })
		u, err := double.Diff(nil)
		if err != nil {
			t.Fatal(err)
		}
		a.send(wire.AppendUpdate(nil, u))
		a.typeInto(0, "alive ")
		b := w.join(path)
		if got := b.sources(); got != "alive x = 1\nx|# Title" {
			t.Errorf("the room holds %q", got)
		}
	})
}

func TestEvents(t *testing.T) {
	var got []string
	cfg := Config{Emit: func(schema string, data map[string]any) {
		if schema == AwarenessSchema {
			got = append(got, fmt.Sprint(data["action"]))
		} else {
			got = append(got, fmt.Sprintf("%v %v: %v", data["action"], data["path"], data["msg"]))
		}
	}}
	bubble(t, cfg, func(t *testing.T, w *world) {
		path := w.write("a.ipynb", twoCells)
		a := w.join(path)
		synctest.Wait()
		a.typeInto(0, "x")
		time.Sleep(2 * time.Second)
		a.leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []string{
			"load a.ipynb: Content loaded from disk.", "initialize a.ipynb: Room initialized", "join",
			"initialize a.ipynb: New client connected.", "save a.ipynb: Content saved.", "leave",
			"clean a.ipynb: Room deleted.", "clean a.ipynb: Loader deleted.",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("events:\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	})
}
