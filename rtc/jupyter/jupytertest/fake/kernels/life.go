package kernels

import (
	"context"
	"time"
)

const (
	// stopTimeout is how long a process may take to end by itself.
	stopTimeout = 2500 * time.Millisecond
	// restartLimit is how often a kernel that dies at once is restarted; one that lives for stableTime does not count.
	restartLimit = 5
	stableTime   = 10 * time.Second
)

// launch gives the kernel a new process, and passes it the messages that clients sent meanwhile. If asked is set, the
// server requests the kernel's information, and all sockets get the messages of that request.
func (k *kernel) launch(asked bool) {
	p := newProcess(k, k.table.nextPID())
	k.mu.Lock()
	if k.ended || k.process != nil {
		k.mu.Unlock()
		return
	}
	k.process = p
	if asked {
		p.asked = k.ask(k.id, "kernel_info_request")
	}
	waiting := k.waiting
	k.waiting = nil
	k.mu.Unlock()
	for _, w := range waiting {
		p.receive(w.session, w.message)
	}
	k.table.begin(p.run)
}

func (k *kernel) interrupt() {
	k.mu.Lock()
	p := k.process
	k.mu.Unlock()
	if p != nil {
		p.interp.Interrupt()
	}
}

// stop ends the process on request: running code is interrupted and gets no reply, and queued requests are lost.
func (k *kernel) stop(ctx context.Context, restart bool) error {
	k.mu.Lock()
	p := k.process
	k.ended = k.ended || !restart
	if !restart {
		k.buffer = nil
	}
	head := k.ask(k.id, "shutdown_request")
	k.mu.Unlock()
	if p == nil {
		return nil
	}
	p.retire()
	k.publish(p, p.status("busy", head))
	p.interp.Interrupt()
	patience := time.NewTimer(stopTimeout)
	defer patience.Stop()
	var err error
	select {
	case <-p.ended:
	case <-patience.C:
	case <-ctx.Done():
		err = ctx.Err()
	case <-k.table.ctx.Done():
		err = ErrClosed
	}
	k.publish(p, p.message("iopub", "shutdown_reply", raw(struct {
		Status  string `json:"status"`
		Restart bool   `json:"restart"`
	}{"ok", restart}), head))
	k.publish(p, p.status("idle", head))
	k.gone(p)
	p.kill()
	return err
}

// gone removes a process from the kernel and reports whether it was the kernel's.
func (k *kernel) gone(p *process) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process != p {
		return false
	}
	k.process = nil
	return true
}

// die ends the process at once.
func (k *kernel) die() {
	k.mu.Lock()
	p := k.process
	k.mu.Unlock()
	if p != nil {
		k.lost(p)
	}
}

// lost handles a process that has ended unexpectedly: after the delay it notifies the sockets and starts another one.
// A kernel that dies too often is abandoned.
func (k *kernel) lost(p *process) {
	if !k.gone(p) {
		return
	}
	p.kill()
	k.table.begin(func() {
		if !k.pause(k.table.ctx, k.table.config.NoticeDelay) {
			return
		}
		k.mu.Lock()
		ended := k.ended || k.process != nil // or it was restarted by a client
		if !ended {
			k.restarts++
		}
		if time.Since(p.started) >= stableTime+k.table.config.NoticeDelay {
			k.restarts = 1
		}
		state := "restarting"
		if !ended && (k.restarts > restartLimit || k.table.config.NoRestarts) {
			state, k.state, k.ended = "dead", "dead", true
		}
		sockets := append([]*socket(nil), k.sockets...)
		k.mu.Unlock()
		if ended {
			return
		}
		if state == "dead" {
			k.table.remove(k)
		}
		for _, s := range sockets {
			s.tell(state)
		}
		if state != "dead" {
			k.launch(false)
		}
	})
}
