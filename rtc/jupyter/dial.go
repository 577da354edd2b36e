package jupyter

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
)

// KernelProtocol is the websocket subprotocol that carries kernel messages as binary frames. If the server does not
// choose it, [websocket.Conn.Subprotocol] is empty and the messages are JSON texts.
const KernelProtocol = "v1.kernel.websocket.jupyter.org"

// eventsPath is the path of the websocket on which a server publishes its events, since Jupyter Server 2.0.
const eventsPath = "/api/events/subscribe"

// dial opens a websocket. ctx bounds the handshake only; without a deadline, timeout does. It waits less for a server
// that has become silent.
func (s *Client) dial(ctx context.Context, op, about, path string, query url.Values, timeout time.Duration, protocols ...string) (*websocket.Conn, error) {
	conn, err := handshake(ctx, s, op, about, path, query, timeout, protocols...)
	if e, ok := brokenOff(err); ok && errors.Is(s.health().CheckWebsockets(ctx), ErrNoWebsockets) {
		err = e.swallowed(s, true)
	}
	return conn, s.withRole(err)
}

// brokenOff reports whether err means that a connection was accepted and then closed without an answer.
func brokenOff(err error) (e *Error, ok bool) {
	var op *net.OpError
	ok = errors.As(err, &e) && errors.Is(e.kind, ErrUnreachable) && e.Status == 0 && e.err != nil
	return e, ok && e.fault.Code == faults.NotThere && !(errors.As(e.err, &op) && op.Op == "dial")
}

// handshake is dial without the diagnosis of a broken connection.
func handshake(ctx context.Context, s *Client, op, about, path string, query url.Values, timeout time.Duration, protocols ...string) (*websocket.Conn, error) {
	ctx, _, cancel := s.bounded(ctx, timeout)
	defer cancel()
	at, err := s.find(ctx, op, about)
	if err != nil {
		return nil, err
	}
	if len(at.others) > 0 && !at.sure.Load() {
		_, _ = s.health().Version(ctx) // settles the server's base URL, or the handshake fails there
		at = s.finder.at.Load()
	}
	var conn *websocket.Conn
	err = admitted(ctx, s, at, op, about, func() (err error) {
		conn, err = shake(ctx, s, at, op, about, path, query, protocols)
		return err
	})
	s.finder.answered(err)
	if err != nil {
		s.noteAnswer(ctx, time.Time{}, err)
		return nil, err
	}
	s.absence.answered()
	s.absence.refuses(nil)
	s.Changes.Note() // a kernel has one more connection
	conn.SetReadLimit(maxFrameBytes)
	return conn, nil
}

// shake makes one handshake attempt with a place.
func shake(ctx context.Context, s *Client, at *place, op, about, path string, query url.Values, protocols []string) (*websocket.Conn, error) {
	ctx, look := s.scheme.Begin(ctx, at.base)
	defer look.End()
	target := "ws" + strings.TrimPrefix(at.address(), "http") + path // http → ws, https → wss
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	header := http.Header{}
	at.authorize(header, s.userAgent)
	// The library observes a context's deadline during the handshake, but not its cancellation.
	unhook := func() bool { return true }
	dialer := websocket.Dialer{
		Proxy: http.ProxyFromEnvironment,
		NetDialContext: func(dialing context.Context, network, addr string) (net.Conn, error) {
			conn, err := s.dialer(dialing, network, addr)
			if err == nil {
				unhook = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
			}
			return conn, err
		},
		TLSClientConfig: s.tls,
		Subprotocols:    protocols,
		Jar:             s.http.Jar,
		ReadBufferSize:  64 << 10,
		WriteBufferSize: 64 << 10,
	}
	conn, resp, err := dialer.DialContext(ctx, target, header)
	if !unhook() && err == nil {
		_ = conn.Close() // the caller has just given up
		err = context.Cause(ctx)
	}
	if err == nil {
		return conn, nil
	}
	failed := s.transportError(ctx, op, about, look.Why(err))
	if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
		defer resp.Body.Close() // in memory: the dialer has read it and closed the connection
		failed = s.failedAnswer(op, about, resp)
		if failed.Status == http.StatusForbidden && failed.hub == hub.Other {
			failed = failed.of(s.finder.refusal(), faults.Values{}) // Jupyter itself answers handshakes in HTML
		}
		if refusedUpgrade(failed.Status) {
			_, err := s.health().Status(ctx)
			failed = failed.swallowed(s, err == nil)
		}
		_ = explained(ctx, s, at, failed)
	}
	return nil, failed
}

// tryFor bounds a check whether websockets reach a server.
const tryFor = 3 * time.Second

// CheckWebsockets checks whether websockets reach a server, and leaves no trace there: it subscribes to the server's
// events until one ping is answered. The error matches [ErrNoWebsockets] if requests reach the server before and
// after, and it was not restarted between them; or it is that of a request. If the server has no events, or is too
// slow, it is nil.
func (h Health) CheckWebsockets(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, tryFor)
	defer stop()
	before, err := h.Status(ctx)
	if err != nil {
		return err
	}
	return h.tryWebsockets(ctx, before)
}

// tryWebsockets is CheckWebsockets for a server whose status is known.
func (h Health) tryWebsockets(ctx context.Context, before Status) error {
	ctx, stop := context.WithTimeout(ctx, tryFor)
	defer stop()
	const op = "try websockets with"
	conn, err := handshake(ctx, h.client, op, h.client.BaseURL(), eventsPath, nil, tryFor)
	switch _, broken := brokenOff(err); {
	case err == nil && echoes(ctx, conn):
		return nil
	case errors.Is(err, ErrNoWebsockets):
		return h.client.withRole(err)
	case err != nil && !broken:
		return nil
	}
	if after, err := h.Status(ctx); err != nil || !after.Started.Equal(before.Started) {
		return err
	}
	return (&Error{Op: op, Path: h.client.BaseURL()}).swallowed(h.client, true)
}

// echoes reports whether a websocket answers a ping, or at least is not closed before that; it closes the websocket.
func echoes(ctx context.Context, ws *websocket.Conn) bool {
	defer ws.Close()
	defer context.AfterFunc(ctx, func() { _ = ws.NetConn().SetDeadline(time.Unix(1, 0)) })()
	echo := errors.New("an answer")
	ws.SetPongHandler(func(string) error { return echo })
	err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(tryFor))
	for err == nil {
		_, _, err = ws.NextReader()
	}
	var slow net.Error
	if !errors.Is(err, echo) && !(errors.As(err, &slow) && slow.Timeout()) {
		return false
	}
	_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(tryFor)) // best effort
	return true
}

// refusedUpgrade reports whether the answer to a handshake shows a proxy that does not pass websockets: it has a
// proxy's own status, or one of tornado's websocket handler for a request without the upgrade headers. Jupyter itself
// answers 403, 404 and 500.
func refusedUpgrade(status int) bool {
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUpgradeRequired, http.StatusNotImplemented:
		return true
	}
	return proxyStatus(status)
}

// swallowed makes e the error of a proxy that swallows websockets, if requests reach the server and the handshake did
// not.
func (e *Error) swallowed(s *Client, reached bool) *Error {
	if !reached {
		return e
	}
	e.kind, e.err, e.Message, e.Server = ErrNoWebsockets, nil, "", ""
	if e.Status != 0 {
		e.Message = "the websocket is refused"
	}
	e = e.of(faults.WebsocketsEaten, faults.Values{Address: s.atAddress("")})
	_ = s.withRole(e)
	return e
}
