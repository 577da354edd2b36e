package kernels

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

// process is a kernel's process: an interpreter, and its queued requests.
type process struct {
	kernel  *kernel
	interp  language
	session string // of its messages
	engine  string // its id in replies
	pid     int
	started time.Time
	ctx     context.Context // ends when it is killed
	kill    context.CancelFunc
	asked   json.RawMessage // the header of the server's kernel_info_request, nil for none
	ready   chan struct{}   // closed when the process answers
	ended   chan struct{}   // closed when the process has ended
	answers chan string     // the user's answers to input_request

	mu      sync.Mutex
	count   int // of its messages
	queue   []*request
	serial  int // of the request that was queued last
	aborted int // requests up to this one are aborted
	retired bool
	wake    chan struct{}
}

// request is a client's message.
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

// message makes a message of the process.
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

// reply answers a request on its channel.
func (p *process) reply(r *request, kind string, content any) {
	p.kernel.reply(p, r.session, p.message(r.channel, kind, raw(content), r.header))
}

// run is the main loop of the process.
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

// retire ends the process after the running request.
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

// receive handles a message: requests on shell are queued, requests on control are answered at once.
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
		default: // the process is not listening yet; the message is lost
		}
	case "stdin":
		var content struct {
			Value string `json:"value"`
		}
		if json.Unmarshal(m.content, &content) == nil && m.kind == "input_reply" {
			select {
			case p.answers <- content.Value:
			default: // no request is waiting for it
			}
		}
	}
}

// abort aborts the queued execute requests.
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
