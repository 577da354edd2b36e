package jupyter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

const (
	noGateway = `{"message":"ConnectionError was received from Gateway server url '%s'.  Check to be sure the Gateway instance is running.","reason":null}`
	gatewayID = "0b1cbe43-97ae-4f3b-8a6e-19f6d5b7a7d2"
)

// A server whose gateway does not answer is still available: it is not marked as away, and its answer for a single
// kernel is not used.
func TestGatewayAway(t *testing.T) {
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimPrefix(r.URL.Path, "/base"); {
		case path == "/api":
			answer(200, jsonType, `{"version":"2.21.1"}`)(w, r)
		case path == "/api/kernels", path == "/api/status":
			answer(503, jsonType, noGateway)(w, r)
		case strings.HasSuffix(path, "/restart"):
			answer(500, jsonType, `{"message":"Exception restarting kernel","reason":null}`)(w, r)
		default: // its cached state
			answer(200, jsonType, `{"id":"`+gatewayID+`","execution_state":"idle"}`)(w, r)
		}
	})
	_, err := s.Health.Status(t.Context())
	isOf(t, "the status", err, faults.GatewayAway)
	_, err = s.Kernels.Get(t.Context(), gatewayID)
	isOf(t, "a kernel", err, faults.GatewayAway)
	_, err = s.Kernels.Restart(t.Context(), gatewayID)
	isOf(t, "a restart", err, faults.GatewayAway)
	_, away := s.Health.Away()
	test.False(t, away, test.Sprint("the server is taken to be away"))
	test.False(t, errors.Is(err, ErrUnreachable), test.Sprint("the server is taken to be away"))
	test.NoError(t, s.Health.Busy(t.Context()), test.Sprint("the server is taken to be away"))
}

// A kernel's state comes from the list, which a server gets from its gateway, and from the kernel's own answer only
// if it is not in the list.
func TestKernelOfTheList(t *testing.T) {
	for _, c := range []struct {
		name, list string
		status     int
		state      string
	}{
		{"in the list", `[{"id":"other","execution_state":"dead"},{"id":"k","execution_state":"busy"}]`, 200, "busy"},
		{"not in the list", `[]`, 200, "idle"},
		{"a list that may not be seen", `{"message":"Error from Gateway: [%s] %s."}`, 403, "idle"},
		{"a list that fails", `{"message":"Unhandled error"}`, 500, "idle"},
	} {
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/kernels") {
				answer(c.status, jsonType, c.list)(w, r)
				return
			}
			answer(200, jsonType, `{"id":"k","execution_state":"idle"}`)(w, r)
		})
		k, err := s.Kernels.Get(t.Context(), "k")
		must.NoError(t, err)
		test.Eq(t, c.state, k.ExecutionState)
	}
}

// silentGateway returns a server whose gateway accepts requests and answers nothing. The server itself answers after
// a while.
func silentGateway(t *testing.T, after time.Duration) *Server {
	t.Helper()
	hs := jupytertest.At(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api" {
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the client detected
			<-r.Context().Done()
			return
		}
		select {
		case <-time.After(after):
			answer(200, jsonType, `{"version":"2.21.1"}`)(w, r)
		case <-r.Context().Done():
		}
	}))
	s, err := New(Options{URL: hs.URL, HTTPClient: hs.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return s
}

// A silent gateway is distinguished from a silent server, within the time of any request.
func TestGatewaySilent(t *testing.T) {
	asks := map[string]func(context.Context, *Server) error{
		"status":      func(ctx context.Context, s *Server) error { _, err := s.Health.Status(ctx); return err },
		"kernels":     func(ctx context.Context, s *Server) error { _, err := s.Kernels.List(ctx); return err },
		"kernel":      func(ctx context.Context, s *Server) error { _, err := s.Kernels.Get(ctx, gatewayID); return err },
		"kernelspecs": func(ctx context.Context, s *Server) error { _, err := s.Kernels.Specs(ctx); return err },
		"sessions":    func(ctx context.Context, s *Server) error { _, err := s.Sessions.List(ctx); return err },
		"restart":     func(ctx context.Context, s *Server) error { _, err := s.Kernels.Restart(ctx, gatewayID); return err },
		"a session": func(ctx context.Context, s *Server) error {
			_, err := s.Sessions.Create(ctx, NewSession{Path: MustPath("a.ipynb")})
			return err
		},
	}
	for name, ask := range asks {
		jupytertest.Bubble(t, func(t *testing.T) {
			s := silentGateway(t, 3*time.Second)
			began := time.Now()
			err := ask(t.Context(), s)
			isOf(t, name, err, faults.GatewayAway)
			if took := time.Since(began); took > defaultTimeout {
				t.Errorf("%s: told after %v", name, took)
			}
			_, away := s.Health.Away()
			test.False(t, away, test.Sprint(name))
			test.False(t, errors.Is(err, ErrUnreachable), test.Sprint(name))
			test.False(t, errors.Is(err, context.DeadlineExceeded), test.Sprint(name))
		})
		jupytertest.Bubble(t, func(t *testing.T) {
			s := silentGateway(t, time.Minute) // also silent itself
			isOf(t, name, ask(t.Context(), s), faults.Busy)
		})
	}
}

// A server that was busy for most of a request's time, and a request cancelled by its caller, are not attributed to a
// gateway.
func TestGatewayNotBlamed(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		free := time.Now().Add(defaultTimeout * 9 / 10)
		hs := jupytertest.At(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wait := time.Until(free)
			if r.URL.Path != "/api" {
				wait += defaultTimeout / 20
			}
			time.Sleep(wait)
			answer(200, jsonType, `[]`)(w, r)
		}))
		s, err := New(Options{URL: hs.URL, HTTPClient: hs.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.CloseIdleConnections)
		if _, err := s.Kernels.List(t.Context()); err != nil {
			t.Errorf("a server that was busy: %v", err)
		}
	})
	jupytertest.Bubble(t, func(t *testing.T) {
		s := silentGateway(t, 0)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(defaultTimeout/2+time.Second/10, stop)
		_, err := s.Kernels.List(ctx)
		test.ErrorIs(t, err, context.Canceled, test.Sprint("a request that was given up"))
		test.False(t, errors.Is(err, ErrNoGateway), test.Sprint("a request that was given up"))
	})
}
