package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

const (
	// maxUnread bounds the bytes of queued messages.
	maxUnread = 64 << 20
	// piece is the size of a write in bytes: a full pipe has room for it when one of its pages has been read.
	piece = 4 << 10
)

// unreadTime is how long a client with many unread bytes may read nothing; tests shorten it.
var unreadTime = time.Minute

// output is standard output. Each write is whole messages, and several goroutines write: mcp-go's answers and notifications,
// its requests, the answers of calls, and the refusals of input.
//
// Messages are queued, because a write to a client that does not read blocks forever, and mcp-go makes one write at a time:
// one unread answer would hold up all others. When the queue is half full, input stops reading; when it is full, the next
// write waits. A client that then reads nothing for unreadTime is disconnected.
type output struct {
	ids      *jsonrpc.IDs
	w        io.Writer
	most     int           // bytes that may be queued
	patience time.Duration // how long a client may read nothing

	unread  chan struct{}  // closed when the client is disconnected
	written chan struct{}  // closed when write has returned
	stop    chan struct{}  // closed by end
	watched sync.WaitGroup // the watching goroutine; a write may block forever

	mu      sync.Mutex
	changed *sync.Cond // of the fields below
	queue   [][]byte
	waits   int   // bytes queued and being written
	passed  int64 // bytes written
	ending  bool
	err     error // why writing has failed
}

// errUnread ends the program because its client does not read.
var errUnread = errors.New("the client does not read")

func newOutput(w io.Writer) *output { return newBoundOutput(w, maxUnread, unreadTime) }

func newBoundOutput(w io.Writer, most int, patience time.Duration) *output {
	o := &output{
		ids: jsonrpc.NewIDs(), w: w, most: most, patience: patience,
		unread: make(chan struct{}), written: make(chan struct{}), stop: make(chan struct{}),
	}
	o.changed = sync.NewCond(&o.mu)
	go o.write()
	o.watched.Go(o.watch)
	return o
}

// Write queues messages, with the ids that the client sent.
func (o *output) Write(p []byte) (int, error) {
	text := o.ids.Out(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.waits > 0 && o.waits+len(text) > o.most {
		o.changed.Wait()
	}
	if o.err != nil {
		return 0, o.err
	}
	o.queue = append(o.queue, append([]byte(nil), text...)) // the caller reuses p
	o.waits += len(text)
	o.changed.Broadcast()
	return len(p), nil
}

// much reports whether reading must pause because too much output is queued. o.mu is held.
func (o *output) much() bool { return o.waits > o.most/2 }

// clear waits until another message of the client may be read. It returns an error if the client has been disconnected: no
// further message is read then.
func (o *output) clear() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && !o.ending && o.much() {
		o.changed.Wait()
	}
	if errors.Is(o.err, errUnread) {
		return o.err
	}
	return nil
}

// failed reports whether writing to o has failed.
func failed(o *output) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err != nil
}

// write writes the queued messages until end, or an error.
func (o *output) write() {
	defer close(o.written)
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for o.err == nil && len(o.queue) == 0 && !o.ending {
			o.changed.Wait()
		}
		if o.err != nil || len(o.queue) == 0 {
			return
		}
		text := o.queue[0]
		o.queue[0] = nil
		if o.queue = o.queue[1:]; len(o.queue) == 0 {
			o.queue = nil
		}
		for len(text) > 0 && o.err == nil {
			size := min(len(text), piece) // small writes show whether the client reads
			o.mu.Unlock()
			n, err := o.w.Write(text[:size])
			o.mu.Lock()
			if text = text[n:]; err != nil {
				o.fail(err)
			}
			o.waits -= n
			o.passed += int64(n)
			o.changed.Broadcast()
		}
	}
}

// fail makes all writes fail. o.mu is held.
func (o *output) fail(err error) {
	if o.err == nil {
		o.err, o.queue = err, nil
		o.changed.Broadcast()
	}
}

// watch disconnects the client if it has many unread bytes and reads nothing for all of patience.
func (o *output) watch() {
	tick := time.NewTicker(o.patience / 10)
	defer tick.Stop()
	var passed int64
	var held int
	since := time.Now()
	for {
		select {
		case <-o.stop:
			return
		case <-o.written:
			return
		case now := <-tick.C:
			left := unreadBytes(o.w) // of the written bytes: a slow client reads less than a piece at a time
			o.mu.Lock()
			switch {
			case !o.much() || o.passed != passed || left != held:
				passed, held, since = o.passed, left, now
			case now.Sub(since) >= o.patience:
				o.fail(fmt.Errorf("%w: it read nothing for %s, while %d MB of answers waited", errUnread, o.patience, o.waits>>20))
				close(o.unread)
				o.mu.Unlock()
				return
			}
			o.mu.Unlock()
		}
	}
}

// end writes the queued messages until the context ends, and accepts no more. Its error says why some were not written.
func (o *output) end(ctx context.Context) error {
	o.mu.Lock()
	o.ending = true
	o.changed.Broadcast()
	o.mu.Unlock()
	select {
	case <-o.written:
	case <-ctx.Done():
	}
	close(o.stop)
	o.watched.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && o.waits > 0 {
		o.fail(fmt.Errorf("%w: %d bytes of answers are lost", errUnread, o.waits))
	}
	return o.err
}
