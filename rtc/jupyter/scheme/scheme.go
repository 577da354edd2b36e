// Package scheme finds out that a server speaks http where its address says https, and the other way round.
//
// Neither shows by itself in any one way. Tornado takes the greeting of TLS for the beginning of a request and waits for the
// rest of it, so that a client that speaks https to it waits for ten seconds and learns nothing. What speaks TLS answers a
// request in plain http with a refusal, an alert, or nothing. So the same port is asked in the other way, once that has
// happened: not before, and never again after the server has answered in the way that its address says.
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
)

// What a server speaks that does not understand its address.
var (
	ErrHTTP  = errors.New("the server speaks http")
	ErrHTTPS = errors.New("the server speaks https")
)

const (
	// greetFor is how long the greeting of TLS may go unanswered before the server is asked in plain http, too.
	greetFor = time.Second
	// askFor bounds asking in the other way.
	askFor = 2 * time.Second
)

// A Watch is what is known of one server. It is safe for concurrent use.
type Watch struct {
	// Dial connects to the server.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	fits atomic.Bool
}

// Fits notes that the server understands its address.
func (w *Watch) Fits() { w.fits.Store(true) }

// A Look is at one request. Its methods may be called for one that looks at nothing.
type Look struct {
	watch *Watch // nil: at nothing
	base  *url.URL
	ctx   context.Context
	end   context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer // from the greeting on
	failed bool        // the greeting has
	ended  bool
	asking sync.WaitGroup
}

// Begin looks at a request to the server at an address. The request is to have the context that is returned, which ends as
// soon as it is clear that the request is in vain.
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

// proxied reports whether somebody stands between us and the server whose answers would be taken for its own.
func proxied(base *url.URL) bool {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: base})
	return err != nil || proxy != nil
}

// greets begins to wait for the server's answer to the greeting. A transport may greet after the request has ended.
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

// ask asks in plain http, and ends the request if that is what the server speaks.
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

// End ends the look, with the request.
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

// Why is [ErrHTTP] or [ErrHTTPS] if that is why a request got no answer, and else the error that it got.
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

// Answered notes the status of an answer. It is [ErrHTTPS] if the answer says no more than that http is not understood.
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

// speaksHTTP reports whether a request in plain http is answered. What speaks TLS may answer one, to refuse it or to send us
// to https, and a proxy may answer for the server.
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

// speaksTLS reports whether the greeting of TLS is answered. Nothing is sent after it.
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

// address is the server's, for dialling.
func (l *Look) address(port string) string {
	if p := l.base.Port(); p != "" {
		port = p
	}
	return net.JoinHostPort(l.base.Hostname(), port)
}
