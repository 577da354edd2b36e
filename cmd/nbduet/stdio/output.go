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
	// maxUnread bounds the bytes of messages that wait for the client to read them.
	maxUnread = 64 << 20
	// piece is how many bytes are written at once: what a full pipe has room for when one page of it has been read.
	piece = 4 << 10
)

// unreadTime is how long a client that has much to read may read nothing at all; tests shorten it.
var unreadTime = time.Minute

// output is standard output. Each write is whole messages, and several goroutines write: mcp-go's answers and
// notifications, its requests, the answers of calls, and the refusals of input.
//
// The messages wait here, because a write to a client that does not read lasts for ever, and mcp-go makes one at a time:
// one answer that nobody reads would hold up all the others. When half of what may wait does, no further message of the
// client is read; when all does, the next write waits. A client that then reads nothing for unreadTime is let go.
type output struct {
	ids      *jsonrpc.IDs
	w        io.Writer
	most     int           // bytes that may wait
	patience time.Duration // with a client that reads nothing

	unread  chan struct{}  // closed when the client is let go
	written chan struct{}  // closed when nothing more is written
	stop    chan struct{}  // closed by end
	watched sync.WaitGroup // the goroutine that watches; a write may last for ever

	mu      sync.Mutex
	changed *sync.Cond // of what follows
	queue   [][]byte
	waits   int   // bytes of the queue, and of what is being written
	passed  int64 // bytes written
	ending  bool
	err     error // no more can be written
}

// errUnread ends the program whose client does not read.
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

// Write takes messages, and brings their ids back to how the client has sent them.
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
	o.queue = append(o.queue, append([]byte(nil), text...)) // the caller's is used again
	o.waits += len(text)
	o.changed.Broadcast()
	return len(p), nil
}

// much reports whether so much waits that nothing more is read. o.mu is held.
func (o *output) much() bool { return o.waits > o.most/2 }

// clear waits until little enough waits for another message of the client to be read. It returns an error if the client
// has been let go: no further message is read then.
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

// failed reports whether nothing more can be written to o.
func failed(o *output) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err != nil
}

// write writes what comes, until end, or an error.
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
			size := min(len(text), piece) // so that it is seen whether the client reads
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

// fail ends all writes. o.mu is held.
func (o *output) fail(err error) {
	if o.err == nil {
		o.err, o.queue = err, nil
		o.changed.Broadcast()
	}
}

// watch lets the client go when it has much to read and reads nothing for the whole patience.
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
			left := unreadBytes(o.w) // of what was written: a slow client reads less than a piece at a time
			o.mu.Lock()
			switch {
			case !o.much() || o.passed != passed || left != held:
				passed, held, since = o.passed, left, now
			case now.Sub(since) >= o.patience:
				o.fail(fmt.Errorf("%w: it has read nothing for %s, while %d MB of answers waited for it", errUnread, o.patience, o.waits>>20))
				close(o.unread)
				o.mu.Unlock()
				return
			}
			o.mu.Unlock()
		}
	}
}

// end writes what waits as long as the context lasts, and takes no more. Its error says why not all was written.
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
