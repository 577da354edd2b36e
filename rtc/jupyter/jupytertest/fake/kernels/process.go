package kernels

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

// process is a kernel's: an interpreter, and the requests that wait for it.
type process struct {
	kernel  *kernel
	interp  language
	session string // of its messages
	engine  string // its id in replies
	pid     int
	started time.Time
	ctx     context.Context // ends when it is killed
	kill    context.CancelFunc
	asked   json.RawMessage // the header of the server's request for its information, nil for none
	ready   chan struct{}   // closed when it answers
	ended   chan struct{}   // closed when it has ended
	answers chan string     // of the user, to an input_request

	mu      sync.Mutex
	count   int // of its messages
	queue   []*request
	serial  int // of the request that was queued last
	aborted int // requests to run up to this one are not run
	retired bool
	wake    chan struct{}
}

// request is a message of a client's.
type request struct {
	*message
	session string
	serial  int
}

func newProcess(k *kernel, pid int) *process {
	p := &process{
		kernel: k, pid: pid, session: newUUID()[:9] + randomHex(12), engine: newUUID(), started: time.Now(),
		ready: make(chan struct{}), ended: make(chan struct{}), answers: make(chan string, 16), wake: make(chan struct{}, 1),
	}
	if k.language() == "bash" {
		p.interp = newShell()
	} else {
		p.interp = cells.New(cells.Config{Dir: k.cwd, PID: pid, NotUnderstood: k.table.config.NotUnderstood})
	}
	p.ctx, p.kill = context.WithCancel(k.table.ctx)
	return p
}

// message makes one of the process's.
func (p *process) message(channel, kind string, content, parent json.RawMessage) *message {
	p.mu.Lock()
	p.count++
	n := p.count
	p.mu.Unlock()
	return newMessage(p.session, p.pid, n, channel, kind, content, parent)
}

func (p *process) status(state string, parent json.RawMessage) *message {
	return p.message("iopub", "status", status(state), parent)
}

func (p *process) publish(kind string, content, parent json.RawMessage) {
	p.kernel.publish(p, p.message("iopub", kind, content, parent))
}

// reply answers a request on the channel that it came by.
func (p *process) reply(r *request, kind string, content any) {
	p.kernel.reply(p, r.session, p.message(r.channel, kind, raw(content), r.header))
}

// run is the life of the process.
func (p *process) run() {
	defer close(p.ended)
	defer p.kill()
	if !p.kernel.pause(p.ctx, p.kernel.table.config.StartDelay) {
		return
	}
	p.publish("status", status("starting"), nil)
	if p.asked != nil {
		p.publish("status", status("busy"), p.asked)
		p.publish("status", status("idle"), p.asked)
	}
	close(p.ready)
	for {
		r := p.next()
		if r == nil {
			return
		}
		if !p.handle(r) {
			p.kernel.lost(p)
			return
		}
	}
}

// next waits for the next request; nil means that no more will come.
func (p *process) next() *request {
	for {
		p.mu.Lock()
		if p.retired || p.ctx.Err() != nil {
			p.mu.Unlock()
			return nil
		}
		if len(p.queue) > 0 {
			r := p.queue[0]
			p.queue = p.queue[1:]
			p.mu.Unlock()
			return r
		}
		p.mu.Unlock()
		select {
		case <-p.wake:
		case <-p.ctx.Done():
			return nil
		}
	}
}

func (p *process) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// retire lets the process end behind what it runs now.
func (p *process) retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	p.poke()
}

func (p *process) isRetired() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retired
}

// receive takes a message: requests on shell are queued, those on control are answered at once.
func (p *process) receive(session string, m *message) {
	r := &request{message: m, session: session}
	switch m.channel {
	case "shell":
		p.mu.Lock()
		p.serial++
		r.serial = p.serial
		p.queue = append(p.queue, r)
		p.mu.Unlock()
		p.poke()
	case "control":
		select {
		case <-p.ready:
			p.control(r)
		default: // the process does not listen yet; the message is lost with it
		}
	case "stdin":
		var content struct {
			Value string `json:"value"`
		}
		if json.Unmarshal(m.content, &content) == nil && m.kind == "input_reply" {
			select {
			case p.answers <- content.Value:
			default: // nobody has asked
			}
		}
	}
}

// abort lets the execute requests that are queued now be answered without being run.
func (p *process) abort() {
	p.mu.Lock()
	p.aborted = p.serial
	p.mu.Unlock()
}

func (p *process) isAborted(r *request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.serial <= p.aborted
}
