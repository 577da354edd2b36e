package scheme_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/memnet"
	"github.com/nbduet/nbduet/rtc/jupyter/scheme"
)

// handshake is how long a transport waits for a server's part of the handshake, even after its request has ended.
const handshake = 10 * time.Second

// ask sends one request through the layer, and returns the answer's status, or the error.
func ask(t *testing.T, w *scheme.Watch, address string) (status int, why error) {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/status", nil)
	if err != nil {
		t.Fatal(err)
	}
	link := &http.Transport{DialContext: w.Dial, DisableKeepAlives: true, TLSHandshakeTimeout: handshake}
	defer link.CloseIdleConnections()
	resp, err := w.Layer(func(*http.Request) *url.URL { return base })(link).RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// counting returns a Watch that counts connections.
func counting() (w *scheme.Watch, n *atomic.Int32) {
	n = new(atomic.Int32)
	var d net.Dialer
	return &scheme.Watch{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		n.Add(1)
		return d.DialContext(ctx, network, address)
	}}, n
}

// bubble runs f in a bubble with a server in memory, at an http address that w dials.
func bubble(t *testing.T, name string, server func(net.Conn), f func(t *testing.T, w *scheme.Watch, address string)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() { time.Sleep(handshake) })
			var network memnet.Network
			l, err := network.Listen("127.0.0.1:80") // proxies from the environment do not apply to this address
			if err != nil {
				t.Fatal(err)
			}
			f(t, &scheme.Watch{Dial: network.Dial}, listen(t, l, server))
		})
	})
}

func other(address string) string {
	if rest, ok := strings.CutPrefix(address, "https:"); ok {
		return "http:" + rest
	}
	return "https:" + strings.TrimPrefix(address, "http:")
}

// waiting is a server that waits for the rest of a request that it does not understand, as tornado does: it answers
// only plain http requests, with answer.
func waiting(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		var got []byte
		for b := make([]byte, 1024); !strings.Contains(string(got), "\r\n\r\n"); {
			n, err := conn.Read(b)
			if err != nil {
				return
			}
			got = append(got, b[:n]...)
		}
		_, _ = io.WriteString(conn, answer)
	}
}

// listen serves the connections of a listener.
func listen(t *testing.T, l net.Listener, serve func(net.Conn)) (address string) {
	t.Helper()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// An http server is recognised at an https address, however it reacts to the greeting.
func TestHTTP(t *testing.T) {
	const well = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	for name, c := range map[string]struct {
		server func(net.Conn)
		took   time.Duration
	}{
		"it waits": {waiting(well), time.Second},
		"it closes": {func(conn net.Conn) {
			b := make([]byte, 8)
			if n, _ := conn.Read(b); n > 0 && b[0] == 'G' {
				_, _ = io.WriteString(conn, well)
			}
		}, 0},
	} {
		bubble(t, name, c.server, func(t *testing.T, w *scheme.Watch, address string) {
			began := time.Now()
			if _, why := ask(t, w, other(address)); !errors.Is(why, scheme.ErrHTTP) {
				t.Error(why)
			}
			if took := time.Since(began); took != c.took {
				t.Errorf("it takes %s, want %s", took, c.took)
			}
		})
	}
}

// A busy server is not mistaken for an http server, nor one that refuses http, or redirects to https.
func TestNotHTTP(t *testing.T) {
	for name, server := range map[string]func(net.Conn){
		"busy":     func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"refusing": waiting("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
		"sending":  waiting("HTTP/1.1 301 Moved\r\nLocation: https://a.example.org/api\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
		"a proxy":  waiting("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
	} {
		bubble(t, name, server, func(t *testing.T, w *scheme.Watch, address string) {
			base, err := url.Parse(other(address))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
			defer stop()
			ctx, look := w.Begin(ctx, base)
			defer look.End()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := (&http.Transport{DialContext: w.Dial, DisableKeepAlives: true, TLSHandshakeTimeout: handshake}).RoundTrip(req)
			if err == nil {
				resp.Body.Close()
				t.Fatal("it answers")
			}
			if why := look.Why(err); !errors.Is(why, context.DeadlineExceeded) {
				t.Error(why)
			}
		})
	}
}

// An https server is recognised at an http address, however it reacts to the request.
func TestHTTPS(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	to := strings.TrimPrefix(secure.URL, "https://")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := listen(t, l, func(conn net.Conn) { // closes connections that do not begin with a greeting
		var first [1]byte
		if _, err := io.ReadFull(conn, first[:]); err != nil || first[0] != 0x16 {
			return
		}
		far, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer far.Close()
		_, _ = far.Write(first[:])
		go func() { _, _ = io.Copy(far, conn) }()
		_, _ = io.Copy(conn, far)
	})
	for name, address := range map[string]string{"it refuses": other(secure.URL), "it closes": silent} {
		w, _ := counting()
		if status, why := ask(t, w, address); !errors.Is(why, scheme.ErrHTTPS) {
			t.Errorf("%s: %d, %v", name, status, why)
		}
	}
}

// A server that has answered with the scheme of its address is not tried again, whatever it does later, and one that
// does not run is not tried.
func TestWellServers(t *testing.T) {
	status := http.StatusOK
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer plain.Close()
	w, n := counting()
	for _, status = range []int{200, 400, 404} {
		got, why := ask(t, w, plain.URL)
		test.Eq(t, status, got)
		test.NoError(t, why)
	}
	plain.Close()
	_, why := ask(t, w, plain.URL)
	must.Error(t, why)
	test.False(t, errors.Is(why, scheme.ErrHTTPS))
	if got := n.Load(); got != 4 {
		t.Errorf("%d connections", got)
	}
	fresh, n := counting()
	_, why = ask(t, fresh, plain.URL)
	must.Error(t, why)
	test.False(t, errors.Is(why, scheme.ErrHTTPS))
	test.Eq(t, 1, n.Load())
	_, why = ask(t, &scheme.Watch{Dial: w.Dial}, other(plain.URL))
	must.Error(t, why)
	test.False(t, errors.Is(why, scheme.ErrHTTP))
}
