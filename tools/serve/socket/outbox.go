package socket

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mark3labs/mcp-go/mcp"
)

// pieceSize is how much a client has to read within the time for a write, in bytes.
const pieceSize = 64 << 10

// outbox writes what the client is to get. The messages wait here, so that a client that reads slowly holds up neither
// those who have something for it nor, by a message of its own, itself.
type outbox struct {
	ws    *websocket.Conn
	lim   Limits
	notes chan mcp.JSONRPCNotification // mcp-go's own notifications
	wake  chan struct{}                // something has changed
	done  chan struct{}                // closed when nothing more is written
	pings time.Time                    // of the last one; the writing goroutine's

	mu      sync.Mutex
	changed *sync.Cond // of what follows
	queue   []entry
	waits   int // bytes of the queue, and of what is being written
	last    *closing
	err     error // no more can be written
}

// An entry is a message that waits. What mcp-go has said before an answer comes before it.
type entry struct {
	text   []byte
	answer bool
}

func newOutbox(ws *websocket.Conn, lim Limits) *outbox {
	o := &outbox{ws: ws, lim: lim, notes: make(chan mcp.JSONRPCNotification, 100), wake: make(chan struct{}, 1), done: make(chan struct{}), pings: time.Now()}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// send has an answer or a question written. It waits as long as too much waits before it.
func (o *outbox) send(text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.last == nil && o.waits > 0 && o.waits+len(text) > o.lim.Unread {
		o.changed.Wait()
	}
	return o.add(entry{text, true})
}

// offer has a notification written if not much waits before it, and reports whether it will be.
func (o *outbox) offer(text []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waits <= o.lim.Unread/2 && o.add(entry{text, false}) == nil
}

// add puts a message into the queue. o.mu is held.
func (o *outbox) add(m entry) error {
	switch {
	case o.err != nil:
		return o.err
	case o.last != nil:
		return o.last
	}
	o.queue = append(o.queue, m)
	o.waits += len(m.text)
	o.signal()
	return nil
}

// signal wakes the goroutine that writes.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// clear waits until so little waits that another message of the client is read.
func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.last == nil && o.waits > o.lim.Unread/2 {
		o.changed.Wait()
	}
}

// end has what waits written, and then the connection closed for that reason.
func (o *outbox) end(why *closing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = cmp.Or(o.last, why)
	o.changed.Broadcast()
	o.signal()
}

// run writes what comes until end, or an error, which closes the connection.
func (o *outbox) run() {
	defer close(o.done)
	tick := time.NewTicker(o.lim.Quiet)
	defer tick.Stop()
	for {
		m, last := o.take()
		var err error
		switch {
		case m.text != nil:
			if m.answer {
				err = o.flush()
			}
			if err == nil {
				err = o.write(m.text)
			}
			o.wrote(len(m.text))
		case last != nil:
			_ = o.ws.WriteControl(websocket.CloseMessage, last.frame(), time.Now().Add(o.lim.Linger))
			return
		default:
			select {
			case <-o.wake:
			case n := <-o.notes:
				err = o.notify(n)
			case <-tick.C:
				err = o.ping()
			}
		}
		if err != nil {
			o.fail(err)
			return
		}
	}
}

// take is the next message, or why the connection ends if none waits.
func (o *outbox) take() (m entry, last *closing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		o.queue = nil
		return entry{}, o.last
	}
	m, o.queue[0] = o.queue[0], entry{}
	o.queue = o.queue[1:]
	return m, nil
}

// wrote gives back the place of a message.
func (o *outbox) wrote(bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waits -= bytes
	o.changed.Broadcast()
}

// fail ends all writes, and the reads with them.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.queue = err, nil
	o.changed.Broadcast()
	o.ws.Close()
}

// write writes a message, a long one in pieces: however slowly it is read, who reads has time.
func (o *outbox) write(text []byte) error {
	if err := o.pingIfDue(); err != nil {
		return err
	}
	if len(text) <= pieceSize {
		_ = o.ws.SetWriteDeadline(time.Now().Add(o.lim.WriteTime)) // it returns nil
		return o.ws.WriteMessage(websocket.TextMessage, text)
	}
	w, err := o.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(text, pieceSize) {
		_ = o.ws.SetWriteDeadline(time.Now().Add(o.lim.WriteTime))
		if _, err := w.Write(piece); err != nil {
			return err
		}
		if err := o.pingIfDue(); err != nil {
			return err
		}
	}
	return w.Close()
}

// flush writes mcp-go's notifications that wait.
func (o *outbox) flush() error {
	for {
		select {
		case n := <-o.notes:
			if err := o.notify(n); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (o *outbox) notify(n mcp.JSONRPCNotification) error {
	b, err := json.Marshal(n)
	if err != nil {
		return nil //nolint:nilerr // it has what is no JSON, and cannot be sent
	}
	return o.write(b)
}

// pingIfDue pings a client to which much is written: it cannot be heard otherwise that it is still there.
func (o *outbox) pingIfDue() error {
	if time.Since(o.pings) < o.lim.Quiet {
		return nil
	}
	return o.ping()
}

func (o *outbox) ping() error {
	o.pings = time.Now()
	return o.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(o.lim.WriteTime))
}
