package rooms

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// peer is a client of a room: a replica, and the received frames.
type peer struct {
	t  *testing.T
	ws *websocket.Conn

	replica            *crdt.Replica
	cells, state, meta *crdt.Type
	source             *crdt.Type
	mu                 sync.Mutex
	seen               []string // summaries of the frames since the last look
	connected          bool
	done               chan struct{}
}

func dialRoom(t *testing.T, d websocket.Dialer, url string) (*peer, error) {
	ws, resp, err := d.Dial(url, nil)
	if err != nil {
		if resp != nil {
			_ = resp.Body.Close()
			err = fmt.Errorf("HTTP %d", resp.StatusCode)
		}
		return nil, err
	}
	p := &peer{t: t, ws: ws, replica: crdt.New(crdt.Options{}), connected: true, done: make(chan struct{})}
	p.cells, p.meta = p.replica.Root("cells", crdt.KindArray), p.replica.Root("meta", crdt.KindMap)
	p.state, p.source = p.replica.Root("state", crdt.KindMap), p.replica.Root("source", crdt.KindText)
	go p.read()
	t.Cleanup(p.leave)
	p.send(wire.AppendSyncStep1(nil, []byte{0}))
	return p, nil
}

func (p *peer) leave() {
	_ = p.ws.Close()
	<-p.done
}

// send sends a frame. If the connection has ended, the reader notices it.
func (p *peer) send(frame []byte) { _ = p.ws.WriteMessage(websocket.BinaryMessage, frame) }

// in reports whether the room has accepted or refused the peer.
func (p *peer) in() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.connected || slices.ContainsFunc(p.seen, func(s string) bool { return strings.HasPrefix(s, "sync step 2") })
}

// edit changes the document and sends the update.
func (p *peer) edit(f func(x *crdt.Tx)) {
	p.t.Helper()
	var update []byte
	p.replica.OnUpdate(func(u []byte) { update = u })
	if err := p.replica.Do("edit", func() error { p.replica.Transact(f); return nil }); err != nil {
		p.t.Fatal(err)
	}
	p.send(wire.AppendUpdate(nil, update))
}

// cell returns the shared map of a cell.
func (p *peer) cell(i int) *crdt.Type {
	for t := range p.cells.Entries() {
		if i == 0 {
			return t
		}
		i--
	}
	return nil
}

// typeInto adds text to the start of a cell's source.
func (p *peer) typeInto(cell int, s string) {
	p.t.Helper()
	p.edit(func(x *crdt.Tx) { x.InsertText(p.cell(cell).Child("source", crdt.KindText), 0, s) })
}

// read handles the server's frames until the connection ends.
func (p *peer) read() {
	defer close(p.done)
	for {
		_, b, err := p.ws.ReadMessage()
		if err != nil {
			p.end(err)
			return
		}
		f, err := wire.ParseFrame(b, wire.DefaultLimits)
		if err != nil {
			p.log("malformed frame %x", b)
			continue
		}
		switch f.Kind {
		case wire.SyncStep1:
			p.log("sync step 1")
		case wire.SyncStep2, wire.Update:
			p.log("%s: %s", f.Kind, p.apply(f.Payload))
		case wire.Awareness:
			if !bytes.Contains(f.Payload, []byte("{}")) { // the server's own states come at any time
				p.log("awareness %q", f.Payload)
			}
		case wire.Raw:
			p.log("raw %s", f.Raw)
		case wire.Unknown:
			p.log("unknown frame %x", b)
		}
	}
}

func (p *peer) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connected = false
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		p.seen = append(p.seen, fmt.Sprintf("closed with %d %s", closed.Code, closed.Text))
	} else {
		p.seen = append(p.seen, "cut")
	}
}

// apply applies an update and describes the changes.
func (p *peer) apply(update []byte) string {
	before := p.values()
	if err := p.replica.Apply(update); err != nil {
		return err.Error()
	}
	after := p.values()
	var changes []string
	for _, root := range []string{"cells", "meta", "source"} {
		if !crdt.EqualValues(before[root], after[root]) {
			changes = append(changes, root)
		}
	}
	was, is := before["state"].(map[string]any), after["state"].(map[string]any)
	for _, k := range sortedKeys(was, is) {
		v, ok := is[k]
		switch old, had := was[k]; {
		case !ok:
			changes = append(changes, k+" gone")
		case !had || old != v:
			changes = append(changes, fmt.Sprintf("%s=%v", k, v))
		}
	}
	if len(changes) == 0 {
		return "nothing"
	}
	return strings.Join(changes, ", ")
}

func (p *peer) values() (v map[string]any) {
	p.replica.Read("read", func() {
		v = map[string]any{"cells": p.cells.List(), "meta": p.meta.Object(), "state": p.state.Object(), "source": p.source.Characters()}
	})
	return v
}

func (p *peer) log(format string, a ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, fmt.Sprintf(format, a...))
}

// look returns the frames from the server since the last look.
func (p *peer) look() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	p.seen = nil
	return seen
}

// sortedKeys lists the keys of both maps.
func sortedKeys(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
