package kernel

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// start makes a client execute code on the fake kernel, and returns the request as the kernel received it.
func (f *fakeServer) start(tm timing) (c *Conn, s *fakeSocket, request incoming, r *recorder, out <-chan error) {
	f.t.Helper()
	c, err := dial(testContext(f.t), f.srv, "k", Options{}, tm)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { c.Close() })
	s = <-f.sockets
	r = &recorder{}
	ch := make(chan error, 1)
	go func() {
		_, err := c.Execute(testContext(f.t), Request{Code: "1"}, r.handle)
		ch <- err
	}()
	return c, s, s.receive(), r, ch
}

// A silent kernel that the server reports as idle has lost the request; a busy one is awaited. The next request uses
// another socket, since the server may have stopped passing messages to this one.
func TestSilentKernel(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.askAfter, tm.tick = 30*time.Millisecond, 5*time.Millisecond
		f.rest(StateBusy)
		next := make(chan error, 1)
		c, _, _, _, out := f.start(tm)
		f.waitAsked(5) // once for the dialling, the others because of the silence
		select {
		case err := <-out:
			t.Fatalf("given up on a busy kernel: %v", err)
		default:
		}
		f.rest(StateIdle)
		if err := await(t, "the request", out); !errors.Is(err, ErrAnswerLost) {
			t.Errorf("error %v, want ErrAnswerLost", err)
		}
		go func() {
			_, err := c.Execute(testContext(t), Request{Code: "2"}, nil)
			next <- err
		}()
		s := <-f.sockets
		s.run(s.receive())
		if err := await(t, "the next request", next); err != nil {
			t.Error(err)
		}
	})
}

// Requests waiting in a restarted kernel are lost, also if the new process never gets the probe.
func TestProbeIsLost(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.askAfter, tm.tick = 30*time.Millisecond, 5*time.Millisecond
		f.rest(StateBusy)
		_, s, _, _, out := f.start(tm)
		s.send("iopub", "shutdown_reply", incoming{}, map[string]any{"status": "ok", "restart": true})
		if probe := s.receive(); probe.header.Type != "kernel_info_request" {
			t.Fatalf("got a %s, want a probe", probe.header.Type)
		}
		f.rest(StateIdle)
		if err := await(t, "the request", out); !errors.Is(err, ErrKernelRestarted) {
			t.Errorf("error %v, want ErrKernelRestarted", err)
		}
	})
}

// waitAsked waits until the server was queried for the kernel n more times.
func (f *fakeServer) waitAsked(n int) {
	f.t.Helper()
	ctx := testContext(f.t)
	f.mu.Lock()
	until := f.asked + n
	f.mu.Unlock()
	for {
		f.mu.Lock()
		asked := f.asked
		f.mu.Unlock()
		if asked >= until {
			return
		}
		if ctx.Err() != nil {
			f.t.Fatal("the server is not asked for a silent kernel")
		}
		time.Sleep(time.Millisecond)
	}
}

// A silent kernel that the server no longer has ends the request and the connection.
func TestSilentKernelGone(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.askAfter, tm.tick = 30*time.Millisecond, 5*time.Millisecond
		f.rest(StateBusy)
		c, _, _, _, out := f.start(tm)
		f.rest("")
		if err := await(t, "the request", out); !errors.Is(err, ErrKernelDead) {
			t.Errorf("error %v, want ErrKernelDead", err)
		}
		<-c.done
	})
}

// A slow handler does not count as silence.
func TestSlowHandlerIsNoSilence(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		f.rest(StateBusy) // until the handler is at work
		tm := quick()
		tm.askAfter, tm.tick = 20*time.Millisecond, 5*time.Millisecond
		c, err := dial(testContext(t), f.srv, "k", Options{}, tm)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		s := <-f.sockets
		held, release := make(chan struct{}), make(chan struct{})
		out := make(chan error, 1)
		n := 0
		go func() {
			_, err := c.Execute(testContext(t), Request{Code: "1"}, func(ev Event) {
				if _, ok := ev.(Stream); ok {
					if n++; n == 1 {
						close(held)
						<-release
					}
				}
			})
			out <- err
		}()
		req := s.receive()
		s.status(StateBusy, req)
		const lines = eventBuffer + 20 // more than the buffer holds: the reader waits for the handler
		for range lines {
			s.send("iopub", "stream", req, map[string]any{"name": "stdout", "text": "x"})
		}
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
		s.status(StateIdle, req)
		<-held
		ctx := testContext(t)
		for c.readerWaits() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		f.rest(StateIdle)
		// Long enough for the watcher to have given up many times, if it took this for silence.
		time.Sleep(20 * tm.askAfter)
		f.rest(StateBusy)
		close(release)
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
		if n != lines {
			t.Errorf("%d of %d lines arrived", n, lines)
		}
	})
}

// readerWaits reports whether the reader waits for the kernel, and not for a handler whose buffer is full.
func (c *Conn) readerWaits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ex := range c.pending {
		if len(ex.events) < eventBuffer {
			return true
		}
	}
	return c.waiting
}

// A kernel that cannot be started again is dead, until it is restarted.
func TestDeadKernel(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		c, s, _, _, out := f.start(quick())
		s.status(StateDead, incoming{})
		if err := await(t, "the request", out); !errors.Is(err, ErrKernelDead) {
			t.Errorf("error %v, want ErrKernelDead", err)
		}
		if _, err := c.Execute(testContext(t), Request{Code: "1"}, nil); !errors.Is(err, ErrKernelDead) {
			t.Errorf("Execute on a dead kernel: %v", err)
		}
		s.status(StateStarting, incoming{})
		waitState(t, c, StateStarting)
		go func() { s.run(s.receive()) }()
		if _, err := c.Execute(testContext(t), Request{Code: "1"}, nil); err != nil {
			t.Errorf("after the restart: %v", err)
		}
	})
}

// A request that the new process gets after all is not lost: the greeting of the process alone proves nothing.
func TestStartingKernelTakesRequest(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		_, s, req, r, out := f.start(quick())
		s.status(StateStarting, incoming{})
		probe := s.receive()
		if probe.header.Type != "kernel_info_request" {
			t.Fatalf("got a %s, want a probe", probe.header.Type)
		}
		s.status(StateBusy, req)
		s.send("iopub", "stream", req, map[string]any{"name": "stdout", "text": "ran"})
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
		s.status(StateIdle, req)
		s.send("shell", "kernel_info_reply", probe, map[string]any{"status": "ok"})
		if err := await(t, "the request", out); err != nil {
			t.Errorf("error %v", err)
		}
		if r.text() != "ran" {
			t.Errorf("printed %q", r.text())
		}
	})
}

// An aborted request ends with its reply: not every kernel sends an idle status for it.
func TestAborted(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		_, s, req, _, out := f.start(quick())
		s.send("shell", "execute_reply", req, map[string]any{"status": "aborted"})
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
	})
}

// After a gap, a request with a reply but without an idle status ends with the probe.
func TestIdleLostInGap(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.trailing = time.Hour
		_, s, req, r, out := f.start(tm)
		s.status(StateBusy, req)
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok", "execution_count": 3})
		waitEvent(t, r, "status busy")
		s.ws.Close()
		s = <-f.sockets
		probe := s.receive()
		s.status(StateBusy, probe)
		s.send("shell", "kernel_info_reply", probe, map[string]any{"status": "ok"})
		s.send("iopub", "stream", req, map[string]any{"name": "stdout", "text": "late"})
		s.status(StateIdle, probe)
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
		if r.text() != "late" {
			t.Errorf("printed %q: output after the probe's reply belongs to the request", r.text())
		}
	})
}

// The same if the probe's own idle status is lost, too.
func TestIdleLostInGapEnds(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.trailing = 20 * time.Millisecond
		_, s, req, r, out := f.start(tm)
		s.status(StateBusy, req)
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
		waitEvent(t, r, "status busy")
		s.ws.Close()
		s = <-f.sockets
		s.send("shell", "kernel_info_reply", s.receive(), map[string]any{"status": "ok"})
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
	})
}

// Malformed frames are ignored, and the rest arrives.
func TestMalformedFrames(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		_, s, req, r, out := f.start(quick())
		s.status(StateBusy, req)
		s.raw(websocket.TextMessage, []byte("hello"))
		s.raw(websocket.BinaryMessage, nil)
		s.raw(websocket.BinaryMessage, []byte{255, 255, 255, 255, 255, 255, 255, 255, 1})
		s.send("iopub", "stream", req, map[string]any{"name": 1, "text": []int{}})
		s.send("iopub", "display_data", req, "no object")
		s.send("iopub", "status", req, 7)
		s.send("shell", "execute_reply", incoming{}, map[string]any{"status": "ok"})
		s.send("stdin", "input_request", req, "no object")
		s.send("nowhere", "stream", req, map[string]any{})
		s.send("iopub", "comm_open", req, map[string]any{})
		s.send("iopub", "stream", req, map[string]any{"name": "stdout", "text": "kept"})
		s.send("shell", "execute_reply", req, map[string]any{"status": "ok"})
		s.status(StateIdle, req)
		if err := await(t, "the request", out); err != nil {
			t.Fatal(err)
		}
		if got := r.all(); !slices.Equal(got, []string{"status busy", "stdout kept", "status idle"}) {
			t.Errorf("events %q", got)
		}
	})
}

// A server that accepts a connection and then sends nothing, not even a pong, gets a new connection.
func TestDeadPeer(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.ping, tm.silence = 10*time.Millisecond, 100*time.Millisecond
		c, err := dial(testContext(t), f.srv, "k", Options{}, tm)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		<-f.sockets // it is not read, so pings stay unanswered
		select {
		case <-f.sockets:
		case <-testContext(t).Done():
			t.Fatal("no new connection")
		}
	})
}

// Answered pings keep a quiet connection.
func TestPingsKeepConnection(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		tm := quick()
		tm.ping, tm.silence = 10*time.Millisecond, 4*time.Second
		c, err := dial(testContext(t), f.srv, "k", Options{}, tm)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		s := <-f.sockets
		reads := make(chan struct{})
		go func() {
			defer close(reads)
			for {
				if _, _, err := s.ws.ReadMessage(); err != nil { // answers pings on the way
					return
				}
			}
		}()
		select {
		case <-f.sockets:
			t.Fatal("the connection was given up")
		case <-time.After(2 * tm.silence):
		}
		c.Close()
		<-reads
	})
}

// Nothing is run before the kernel's first message on the socket: earlier output is lost. The wait for a silent kernel is
// short.
func TestWaitsForFirstMessage(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		for _, says := range []bool{true, false} {
			f := newFakeServer(t)
			f.mute = true
			tm := quick()
			tm.greet, tm.greetWait = 5*time.Millisecond, time.Hour
			if !says {
				tm.greetWait = 50 * time.Millisecond
			}
			c, err := dial(testContext(t), f.srv, "k", Options{}, tm)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			s := <-f.sockets
			out := make(chan error, 1)
			go func() {
				_, err := c.Execute(testContext(t), Request{Code: "1"}, nil)
				out <- err
			}()
			if says {
				for range 5 { // the greeting is repeated
					m := s.receiveAny()
					must.Eq(t, "control", m.channel)
					must.Eq(t, "kernel_info_request", m.header.Type)
				}
				s.status(StateIdle, incoming{})
			}
			s.run(s.receive())
			if err := await(t, "the request", out); err != nil {
				t.Error(err)
			}
		}
	})
}
