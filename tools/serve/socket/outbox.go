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

// pieceSize is the number of bytes that a client has to read within the time for a write.
const pieceSize = 64 << 10

// outbox writes messages to the client. They are queued, so that a client that reads slowly blocks neither the senders nor,
// by sending a message, itself.
type outbox struct {
	ws    *websocket.Conn
	lim   Limits
	notes chan mcp.JSONRPCNotification // mcp-go's own notifications
	wake  chan struct{}                // work is available
	done  chan struct{}                // closed when run has returned
	pings time.Time                    // time of the last ping; only for the writing goroutine

	mu      sync.Mutex
	changed *sync.Cond // of the fields below
	queue   []entry
	waits   int // bytes queued and being written
	last    *closing
	err     error // why writing has failed
}

// An entry is a queued message. mcp-go's notifications are written before a later answer.
type entry struct {
	text   []byte
	answer bool
}

func newOutbox(ws *websocket.Conn, lim Limits) *outbox {
	o := &outbox{ws: ws, lim: lim, notes: make(chan mcp.JSONRPCNotification, 100), wake: make(chan struct{}, 1), done: make(chan struct{}), pings: time.Now()}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// send queues an answer or a question. It waits while the queue is full.
func (o *outbox) send(text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.last == nil && o.waits > 0 && o.waits+len(text) > o.lim.Unread {
		o.changed.Wait()
	}
	return o.add(entry{text, true})
}

// offer queues a notification unless the queue is half full, and reports whether it did.
func (o *outbox) offer(text []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waits <= o.lim.Unread/2 && o.add(entry{text, false}) == nil
}

// add adds a message to the queue. o.mu is held.
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

// signal wakes the writing goroutine.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// clear waits until another message of the client may be read.
func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.last == nil && o.waits > o.lim.Unread/2 {
		o.changed.Wait()
	}
}

// end writes the queued messages, and then closes the connection with that reason.
func (o *outbox) end(why *closing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = cmp.Or(o.last, why)
	o.changed.Broadcast()
	o.signal()
}

// run writes the queued messages until end, or an error, which closes the connection.
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

// take returns the next message or, if the queue is empty, the reason for closing the connection.
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

// wrote removes the bytes of a message from the count.
func (o *outbox) wrote(bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waits -= bytes
	o.changed.Broadcast()
}

// fail makes all writes fail, and closes the connection, which ends the reads.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.queue = err, nil
	o.changed.Broadcast()
	o.ws.Close()
}

// write writes a message, a long one in pieces, so that a client has time as long as it reads.
func (o *outbox) write(text []byte) error {
	if err := o.pingIfDue(); err != nil {
		return err
	}
	if len(text) <= pieceSize {
		_ = o.ws.SetWriteDeadline(time.Now().Add(o.lim.WriteTime)) // always returns nil
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

// flush writes mcp-go's queued notifications.
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

// pingIfDue pings a client during long writes; without pongs it would be considered gone.
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
