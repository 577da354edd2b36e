// Package scheme detects that a server speaks http although its address says https, and the reverse.
//
// No single symptom shows it. Tornado reads a TLS greeting as the beginning of a request and waits for the rest, so
// an https client waits for ten seconds and learns nothing. A TLS server answers a plain http request with a refusal,
// an alert, or nothing. So after such a failure the same port is tried with the other scheme: not before, and never
// again after the server has answered with the scheme of its address.
package scheme

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/transport"
)

// The scheme that a server speaks instead of its address's.
var (
	ErrHTTP  = errors.New("the server speaks http")
	ErrHTTPS = errors.New("the server speaks https")
)

const (
	// greetFor is how long a TLS greeting may go unanswered before the server is also tried with http.
	greetFor = time.Second
	// askFor bounds a try with the other scheme.
	askFor = 2 * time.Second
)

// A Watch holds one server's scheme, as far as known. It is safe for concurrent use.
type Watch struct {
	// Dial connects to the server.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	fits atomic.Bool
}

// Fits records that the server speaks the scheme of its address.
func (w *Watch) Fits() { w.fits.Store(true) }

// A Look watches one request. Its methods do nothing if there is nothing to watch.
type Look struct {
	watch *Watch // nil: nothing to watch
	base  *url.URL
	ctx   context.Context
	end   context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer // started at the greeting
	failed bool        // the TLS handshake has failed
	ended  bool
	asking sync.WaitGroup
}

// Begin watches a request to the server at an address. The request must use the returned context, which ends as soon
// as it is clear that the request cannot succeed.
func (w *Watch) Begin(ctx context.Context, base *url.URL) (context.Context, *Look) {
	if w.fits.Load() || proxied(base) {
		return ctx, &Look{}
	}
	l := &Look{watch: w, base: base}
	l.ctx, l.end = context.WithCancelCause(ctx)
	if base.Scheme != "https" {
		return l.ctx, l
	}
	return httptrace.WithClientTrace(l.ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: l.greets,
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { l.greeted(err) },
	}), l
}

// proxied reports whether a proxy between us and the server may answer in its place.
func proxied(base *url.URL) bool {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	return err != nil || proxy != nil
}

// greets starts to wait for the server's answer to the greeting. A transport may send it after the request has ended.
func (l *Look) greets() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && l.timer == nil {
		l.timer = time.AfterFunc(greetFor, l.ask)
	}
}

func (l *Look) greeted(err error) {
	if err == nil || errors.As(err, new(*tls.CertificateVerificationError)) {
		l.watch.Fits()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err != nil
	if l.timer != nil {
		l.timer.Stop()
	}
}

// ask tries http, and ends the request if the server speaks it.
func (l *Look) ask() {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.asking.Add(1)
	l.mu.Unlock()
	defer l.asking.Done()
	if l.speaksHTTP() {
		l.end(ErrHTTP)
	}
}

// End ends the look, together with the request.
func (l *Look) End() {
	if l.watch == nil {
		return
	}
	l.mu.Lock()
	l.ended = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.end(context.Canceled)
	l.asking.Wait()
}

// Why returns [ErrHTTP] or [ErrHTTPS] if that explains why a request got no answer, else its own error.
func (l *Look) Why(err error) error {
	switch {
	case l.watch == nil:
		return err
	case errors.Is(context.Cause(l.ctx), ErrHTTP):
		return ErrHTTP
	case l.ctx.Err() != nil, l.watch.fits.Load():
		return err
	case l.base.Scheme != "https":
		var op *net.OpError
		if !(errors.As(err, &op) && op.Op == "dial") && l.speaksTLS() {
			return ErrHTTPS
		}
		return err
	}
	l.mu.Lock()
	failed := l.failed
	l.mu.Unlock()
	if failed && l.speaksHTTP() {
		return ErrHTTP
	}
	return err
}

// Answered records the status of an answer. It returns [ErrHTTPS] if the answer only means that the server does not
// speak http.
func (l *Look) Answered(status int) error {
	if l.watch == nil {
		return nil
	}
	if status == http.StatusBadRequest && l.base.Scheme != "https" && l.speaksTLS() {
		return ErrHTTPS
	}
	l.watch.Fits()
	return nil
}

// speaksHTTP reports whether the server answers a plain http request. A TLS server may answer one too, with a refusal
// or a redirect to https, and a proxy may answer for the server.
func (l *Look) speaksHTTP() bool {
	ctx, stop := context.WithTimeout(l.ctx, askFor)
	defer stop()
	there := *l.base
	there.Scheme, there.Host = "http", l.address("443")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, there.JoinPath("api").String(), nil)
	if err != nil {
		return false
	}
	resp, err := (&http.Transport{DialContext: l.watch.Dial, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	away := err == nil && to.Scheme == "https"
	return resp.StatusCode != http.StatusBadRequest && resp.StatusCode < 500 && !away
}

// speaksTLS reports whether the server answers a TLS greeting. Nothing is sent after it.
func (l *Look) speaksTLS() bool {
	ctx, stop := context.WithTimeout(l.ctx, askFor)
	defer stop()
	conn, err := l.watch.Dial(ctx, "tcp", l.address("80"))
	if err != nil {
		return false
	}
	defer conn.Close()
	err = tls.Client(conn, &tls.Config{ServerName: l.base.Hostname(), MinVersion: tls.VersionTLS12}).HandshakeContext(ctx)
	var op *net.OpError
	alert := errors.As(err, &op) && op.Op == "remote error"
	return err == nil || alert || errors.As(err, new(*tls.CertificateVerificationError))
}

// address is the server's address for dialling.
func (l *Look) address(port string) string {
	if p := l.base.Port(); p != "" {
		port = p
	}
	return net.JoinHostPort(l.base.Hostname(), port)
}

// Layer watches each request; base returns the address of its server. The error of a request is [ErrHTTP] or
// [ErrHTTPS] if the server does not speak its address's scheme.
func (w *Watch) Layer(base func(*http.Request) *url.URL) transport.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return transport.Func(func(req *http.Request) (*http.Response, error) {
			ctx, look := w.Begin(req.Context(), base(req))
			resp, err := next.RoundTrip(req.WithContext(ctx))
			if err != nil {
				err = transport.Ended(ctx, look.Why(err))
				look.End()
				return nil, err
			}
			if err := look.Answered(resp.StatusCode); err != nil {
				_ = resp.Body.Close() // the answer contains nothing useful
				look.End()
				return nil, err
			}
			resp.Body = transport.Body(ctx, resp.Body, func() {}, look.End)
			return resp, nil
		})
	}
}
