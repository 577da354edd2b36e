package kernel

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A request can lose its answer silently: the connection was down while the kernel answered, or a new process has replaced
// the kernel. Two things detect that.
//
// A probe is a kernel_info request. The kernel takes requests in order and the server passes replies in order, so once the
// probe is answered, nothing more comes for the requests sent before it.
//
// The watcher queries the server for the kernel when a request is pending and no message has come for a while.

// leaveTime is how long to check with the server, every tick, whether a kernel that has announced its shutdown is gone.
const leaveTime = 15 * time.Second

// restarted handles the pending requests when the kernel's process is replaced: the running request is lost; a request that
// had not begun is lost, too, unless the new process gets it, which a probe shows. c.mu is held.
func (c *Conn) restarted(err error) {
	c.asking = nil
	c.leaving = time.Time{}
	needProbe := false
	for _, ex := range c.pending {
		switch {
		case ex.begun:
			c.finish(ex, err)
		case ex.written:
			// The server reports the end of the process first, and the new process its start later.
			if !errors.Is(ex.failure, ErrKernelRestarted) {
				ex.failure = err
			}
			needProbe = true
		}
	}
	if needProbe {
		c.post(c.newProbe())
	}
}

// probeAfterGap handles the pending requests when a lost connection is back, before the new socket is read or written.
func (c *Conn) probeAfterGap() {
	c.mu.Lock()
	var told []*execution
	for _, ex := range c.pending {
		if !ex.written {
			continue
		}
		told = append(told, ex)
		ex.failure = cmp.Or(ex.failure, ErrAnswerLost)
	}
	if len(told) > 0 {
		c.first = append([]outgoing{c.newProbe()}, c.first...)
	}
	c.refresh = true
	c.mu.Unlock()
	c.wakeWatcher()
	for _, ex := range told {
		c.deliver(ex, Gap{})
	}
}

// newProbe makes a probe for every written request that may have failed. c.mu is held.
func (c *Conn) newProbe() outgoing {
	m := c.ids.infoRequest("shell")
	c.probe = m.id
	for _, ex := range c.pending {
		if ex.written && ex.failure != nil {
			ex.probe = m.id
		}
	}
	return m
}

// post writes a message in a new goroutine, because the reader and the watcher must not wait for the writer. Only these two
// may call it.
func (c *Conn) post(m outgoing) {
	c.probes.Go(func() {
		select {
		case c.outbox <- m:
		case <-c.ctx.Done():
		}
	})
}

// onProbeReply ends the requests that the probe has shown to have no answer.
func (c *Conn) onProbeReply(probe string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ex := range c.pending {
		if ex.probe == "" || ex.probe != probe {
			continue
		}
		if ex.reply == nil {
			c.finish(ex, ex.failure)
			continue
		}
		ex.waitUntil = time.Now().Add(c.timing.trailing) // its last output may come later, on the other channel
	}
}

// finishAfterProbe ends the requests that have their reply, once the kernel is idle after the probe.
func (c *Conn) finishAfterProbe(probe, state string) {
	if state != StateIdle {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if probe == "" || probe != c.probe {
		return
	}
	for _, ex := range c.pending {
		if ex.probe == probe && ex.reply != nil {
			c.finish(ex, nil)
		}
	}
}

// wakeWatcher makes the watcher check at once.
func (c *Conn) wakeWatcher() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// A watcher checks silent requests until the connection ends.
type watcher struct {
	c         *Conn
	asked     time.Time // when the server was last queried because of silence
	idleSince time.Time // since when the kernel has been silent, if it was idle then
	without   gateless
}

func (w *watcher) run() {
	tick := time.NewTicker(w.c.timing.tick)
	defer tick.Stop()
	for {
		select {
		case <-w.c.ctx.Done():
			return
		case <-w.c.wake:
		case <-tick.C:
		}
		if s := w.sight(time.Now()); s.leaving || s.silent || s.refresh || s.quiet {
			w.look(s)
		}
	}
}

// A sight is the reason to query the server for the kernel.
type sight struct {
	heard   time.Time // when the kernel's last message came
	leaving bool      // it has announced its shutdown
	silent  bool      // it does not answer a request
	refresh bool      // its state must be queried
	quiet   bool      // see quiet
}

// sight ends the requests whose time for last output is over, and returns why to query the server.
func (w *watcher) sight(now time.Time) sight {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ex := range c.pending {
		if !ex.waitUntil.IsZero() && now.After(ex.waitUntil) {
			c.finish(ex, nil)
		}
	}
	again := c.timing.askAfter
	if !w.without.since.IsZero() {
		again = c.timing.look
	}
	s := sight{heard: c.heard, leaving: !c.leaving.IsZero() && now.Sub(c.leaving) < leaveTime, refresh: c.refresh, quiet: w.quiet(now)}
	c.refresh = false
	if s.silent = len(c.pending) > 0 && c.waiting && now.Sub(c.heard) > again && now.Sub(w.asked) > again; s.silent {
		w.asked = now
	}
	return s
}

// look queries the server for the kernel, and acts on the answer.
func (w *watcher) look(s sight) {
	state, err := w.ask()
	switch {
	case !s.quiet:
	case err == nil && w.keepOpening():
	case err == nil, errors.Is(err, jupyter.ErrUnreachable):
		w.leaveSocket()
	}
	if errors.Is(err, jupyter.ErrNoGateway) && s.silent {
		w.without.unanswered(w.c, s.heard, err)
	}
	if err != nil {
		return
	}
	w.without.answered(w.c, s.heard)
	if s.refresh {
		w.setUnknownState(state)
	}
	if !s.silent {
		return
	}
	// Idle twice without a message in between: the first time a request may have been on its way.
	if state == StateIdle && w.idleSince.Equal(s.heard) {
		w.failUnanswered(s.heard)
	}
	w.idleSince = time.Time{}
	if state == StateIdle {
		w.idleSince = s.heard
	}
}

// ask queries the server for the kernel's state; a kernel that is gone ends the connection.
func (w *watcher) ask() (state string, err error) {
	c, limit := w.c, askTimeout
	if !w.without.since.IsZero() {
		limit = c.timing.look
	}
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	k, err := c.server.srv.Kernels.Get(ctx, c.kernelID)
	if errors.Is(err, jupyter.ErrNotFound) {
		c.end(c.server.missing(c.ctx))
		return "", err
	}
	if err != nil {
		// The socket's own deadline decides about a server that does not answer.
		c.log.Debug("kernel state is not available", "kernel", c.kernelID, "error", err)
		return "", err
	}
	return k.ExecutionState, nil
}

// setUnknownState takes the server's state if ours is unknown.
func (w *watcher) setUnknownState(state string) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.state == StateUnknown && state != "" {
		c.state.state = state
	}
}

// failUnanswered ends the requests that an idle kernel leaves unanswered, unless a message has come after all. If no other
// cause is known, the server may have lost track of the socket, which is then closed so that a new one replaces it.
func (w *watcher) failUnanswered(heard time.Time) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.waiting || !c.heard.Equal(heard) {
		return
	}
	for _, ex := range c.pending {
		if !ex.written {
			continue
		}
		switch {
		case ex.reply != nil:
			c.finish(ex, nil)
		case ex.failure != nil:
			c.finish(ex, ex.failure) // the probe would have shown it: its own answer was lost
		default:
			c.finish(ex, ErrAnswerLost)
			if c.socket != nil {
				_ = c.socket.Close() // the reader's error leads to another one
			}
		}
	}
}

// quiet reports whether the server has been silent long enough to be away, although the reader waits for it. c.mu is held.
func (w *watcher) quiet(now time.Time) bool {
	return w.c.waiting && now.Sub(w.c.alive) > w.c.timing.away
}

// keepOpening allows a socket that the server does not read yet another period of silence, and reports whether it did.
//
// jupyter_server accepts a socket, and reads it when the kernel has answered the server's own request, or after a minute.
// Closing it earlier loses later messages: its subscription passes to the session's next socket, and is removed when its
// minute is over, so that a client that reconnects every ten seconds receives nothing.
func (w *watcher) keepOpening() bool {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unopened.IsZero() || time.Since(c.unopened) > c.timing.opening {
		return false
	}
	c.alive = time.Now()
	return c.socket.NetConn().SetReadDeadline(c.alive.Add(c.timing.silence)) == nil
}

// leaveSocket closes a silent socket when the server answers requests or is known to be gone. It first leaves time for the
// answers to our pings: a server that was only suspended sends its pending messages on the old socket, and a new one would
// lose them.
func (w *watcher) leaveSocket() {
	c := w.c
	select {
	case <-c.ctx.Done():
		return
	case <-time.After(c.timing.ping + c.timing.tick):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.quiet(time.Now()) && c.socket != nil {
		_ = c.socket.Close() // the reader's error leads to another one
	}
}

// A gateless is the watcher's record of a gateway that does not answer.
//
// Jupyter Server keeps our socket when it has lost the gateway, and answers our pings. It tries five times within half a
// minute to reconnect to the gateway, and drops our messages meanwhile; after that nothing ever comes from that socket.
type gateless struct {
	since time.Time // the first unanswered query; zero for none
	heard time.Time // when the kernel's last message had come then
}

// unanswered handles a query that the gateway has not answered. The kernel is probed as well: code whose messages still
// come is not given up because a proxy before the gateway refuses requests.
func (g *gateless) unanswered(c *Conn, heard time.Time, err error) {
	switch now := time.Now(); {
	case g.since.IsZero() || !g.heard.Equal(heard):
		g.since, g.heard = now, heard
	case now.Sub(g.since) > c.timing.gateless:
		c.end(&GatewayError{Since: heard, Err: err})
		return
	}
	c.post(c.ids.infoRequest("control")) // most kernels answer this at once, even while code runs
}

// answered replaces the socket once the gateway answers again, unless the kernel's messages came on this one.
func (g *gateless) answered(c *Conn, heard time.Time) {
	if deaf := !g.since.IsZero() && g.heard.Equal(heard); deaf {
		dropSocket(c)
	}
	*g = gateless{}
}

// dropSocket closes the socket; the reader's error leads to a new one.
func dropSocket(c *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.socket != nil {
		_ = c.socket.Close()
	}
}
