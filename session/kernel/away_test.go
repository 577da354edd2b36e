package kernel

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A run is given up when the kernel's gateway is gone or does not answer, and the kernel is silent. The next connection is
// to the kernel that exists then.
func TestGatewayLost(t *testing.T) {
	for deaf, most := range map[bool]time.Duration{false: 18 * time.Second, true: 25 * time.Second} {
		jupytertest.Bubble(t, func(t *testing.T) { gatewayLost(t, deaf, most) })
	}
}

func gatewayLost(t *testing.T, deaf bool, most time.Duration) {
	f := newFakeServer(t)
	f.deaf = deaf
	k := NewLink(theirs{f}, f.srv, slog.New(slog.DiscardHandler))
	defer k.Close()
	conn, _, err := k.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := <-f.sockets
	out := make(chan error, 1)
	go func() {
		_, err := conn.Execute(testContext(t), Request{Code: "1"}, nil)
		out <- err
	}()
	s.status(StateBusy, s.receive())
	synctest.Wait()
	go s.reads()
	began := time.Now()
	f.gateway(false)
	var away *GatewayError
	err = await(t, "the request", out)
	must.True(t, errors.As(err, &away))
	test.ErrorIs(t, err, ErrClosed)
	test.ErrorIs(t, err, jupyter.ErrNoGateway)
	took := time.Since(began)
	test.GreaterEq(t, 10*time.Second, took)
	test.LessEq(t, most, took)
	if _, _, err := k.Connect(t.Context()); !errors.Is(err, jupyter.ErrNoGateway) {
		t.Errorf("connected with %v, want the gateway in the error", err)
	}
	f.gateway(true)
	if _, _, err := k.Connect(t.Context()); err != nil {
		t.Error(err)
	}
}

// answerControl makes the kernel answer requests on its control channel while the socket lasts.
func (s *fakeSocket) answerControl() {
	_ = s.ws.SetReadDeadline(time.Time{})
	for {
		frameType, frame, err := s.ws.ReadMessage()
		if err != nil {
			return
		}
		if m, err := (binaryCodec{}).decode(frameType, frame); err == nil && m.channel == "control" {
			s.status(StateBusy, m)
			s.status(StateIdle, m)
		}
	}
}

// reads makes the server answer pings while the socket lasts.
func (s *fakeSocket) reads() {
	_ = s.ws.SetReadDeadline(time.Time{})
	for {
		if _, _, err := s.ws.ReadMessage(); err != nil {
			return
		}
	}
}

// Code whose kernel's messages still come while the gateway refuses requests continues.
func TestGatewayRefuses(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		_, s, request, _, out := f.start(defaultTiming)
		s.status(StateBusy, request)
		f.gateway(false)
		go s.answerControl()
		select {
		case <-time.After(testTimeout / 2): // longer than with a silent kernel
		case err := <-out:
			t.Fatalf("given up: %v", err)
		}
		f.gateway(true)
		s.send("shell", "execute_reply", request, map[string]any{"status": "ok"})
		s.status(StateIdle, request)
		if err := await(t, "the request", out); err != nil {
			t.Error(err)
		}
	})
}

// A connection that is used again after a while leads to the kernel: a silent one is replaced.
func TestDeafConnection(t *testing.T) {
	for _, deaf := range []bool{true, false} {
		jupytertest.Bubble(t, func(t *testing.T) {
			f := newFakeServer(t)
			k := NewLink(theirs{f}, f.srv, slog.New(slog.DiscardHandler))
			defer k.Close()
			if _, _, err := k.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := <-f.sockets
			if deaf {
				go s.reads()
			} else {
				go s.answerControl()
			}
			time.Sleep(15 * time.Second)
			if _, _, err := k.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			select {
			case <-f.sockets:
				if !deaf {
					t.Error("a connection on which the kernel answers was left")
				}
			default:
				if deaf {
					t.Error("a connection on which the kernel says nothing was kept")
				}
			}
		})
	}
}
