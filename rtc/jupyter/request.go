package jupyter

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/nbduet/nbduet/rtc/jupyter/cacerts"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
	"github.com/nbduet/nbduet/rtc/jupyter/login"
	"github.com/nbduet/nbduet/rtc/jupyter/loginpage"
	"github.com/nbduet/nbduet/rtc/jupyter/scheme"
	"github.com/nbduet/nbduet/rtc/jupyter/transport"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// maxPageBytes is how much of JupyterLab's page is read, in bytes; its configuration is in its head.
const maxPageBytes = 1 << 20

// call is one REST request.
type call struct {
	op     string     // the operation, for errors
	about  string     // its object, for errors
	method string     // GET if empty
	path   string     // below the base URL, escaped, beginning with a slash
	query  url.Values // or nil
	body   any        // sent as JSON if not nil
	// timeout is the time allowed for a request that makes the server wait for a kernel, if the context has no
	// deadline; zero for other requests, see [Options.Timeout].
	timeout time.Duration
	// page, if not nil, receives the beginning of the answer, an HTML page.
	page *[]byte
	// header, if not nil, receives the header of a successful answer.
	header *http.Header
}

// do sends c and decodes the JSON answer into out; nil ignores the answer. Every error is an *Error.
func (s *Client) do(ctx context.Context, c call, out any) error {
	if err := s.known(ctx, c); err != nil {
		return s.withRole(err)
	}
	at, err := s.find(ctx, c.op, c.about)
	if err != nil {
		return s.withRole(err)
	}
	if c.method != "" && c.method != http.MethodGet {
		defer s.Changes.Begin()()
	}
	began := time.Now()
	if c.timeout > 0 {
		began = time.Time{} // waits for a kernel, which may take long
	}
	err = admitted(ctx, s, at, c.op, c.about, func() error { return explained(ctx, s, at, s.send(ctx, at, c, out)) })
	if there := elsewhere(ctx, s, at, err); there != at {
		at = there
		err = admitted(ctx, s, at, c.op, c.about, func() error { return explained(ctx, s, at, s.send(ctx, at, c, out)) })
	}
	s.finder.answered(err)
	s.noteAnswer(ctx, began, err)
	if errors.Is(err, ErrUnauthorized) { // a refused request had no effect; a restarted server may have a new token
		if now, lost := s.find(ctx, c.op, c.about); lost == nil && now != at {
			err = admitted(ctx, s, now, c.op, c.about, func() error { return explained(ctx, s, now, s.send(ctx, now, c, out)) })
			s.finder.answered(err)
		}
	}
	return s.withRole(err)
}

// admitted makes a request to a place. If it is refused and there is a password, admitted logs in and makes it again.
func admitted(ctx context.Context, s *Client, at *place, op, about string, request func() error) error {
	if s.login == nil || at.token != "" {
		return request()
	}
	count := s.login.Count()
	refused := request()
	if !errors.Is(refused, ErrUnauthorized) {
		return refused
	}
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	err := s.login.Again(ctx, at.base, count)
	var status login.StatusError
	switch {
	case err == nil:
		return request()
	case errors.Is(err, login.ErrNone):
		return refused
	case errors.Is(err, login.ErrWrong):
		e := &Error{Op: op, Path: about, Status: http.StatusUnauthorized, Message: "the login is refused", kind: ErrUnauthorized}
		return e.of(faults.WrongPassword, faults.Values{Address: s.atAddress("")})
	case errors.As(err, &status):
		return answerError(s, op, about, int(status), "the login is refused", false)
	}
	return s.transportError(ctx, op, about, err)
}

// send makes one request to a place.
func (s *Client) send(ctx context.Context, at *place, c call, out any) error {
	req, err := c.request(ctx, at)
	if err != nil {
		return &Error{Op: c.op, Path: c.about, err: err, kind: ErrBadRequest}
	}
	resp, err := s.way.RoundTrip(req)
	if err != nil {
		return s.transportError(ctx, c.op, c.about, err)
	}
	defer resp.Body.Close()
	return s.answer(ctx, c, resp, out)
}

// outgoing holds a request's place and call in its context, for the layers.
type outgoing struct {
	at *place
	call
}

type outgoingKey struct{}

func outgoingOf(req *http.Request) outgoing { return req.Context().Value(outgoingKey{}).(outgoing) }

// request returns the call as a request to a place.
func (c call) request(ctx context.Context, at *place) (*http.Request, error) {
	var body io.Reader
	if c.body != nil {
		sent, err := json.Marshal(c.body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(pyjson.Python(sent))
	}
	c.method = cmp.Or(c.method, http.MethodGet)
	target := at.address() + c.path
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, outgoingKey{}, outgoing{at, c}), c.method, target, body)
	if err != nil {
		return nil, err
	}
	if c.page == nil {
		req.Header.Set("Accept", "application/json")
	}
	if c.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// wayOf returns the transport for requests to a server. Its layers end a request when no data moves any more, or the
// kernels' gateway does not answer; log it; detect a wrong scheme; and sign it.
func wayOf(s *Client) http.RoundTripper {
	return transport.Chain(transport.Func(s.http.Do),
		transport.Beside(s.limit),
		transport.Beside(s.watchGateway),
		transport.Log(s.log, func(req *http.Request) []slog.Attr {
			c := outgoingOf(req)
			return []slog.Attr{slog.String("op", c.op), slog.String("about", c.about)}
		}),
		s.scheme.Layer(func(req *http.Request) *url.URL { return outgoingOf(req).at.base }),
		transport.Header(s.sign),
	)
}

// sign adds the credentials to a request.
func (s *Client) sign(req *http.Request) {
	at := outgoingOf(req).at
	at.authorize(req.Header, s.userAgent)
	if s.login != nil && at.token == "" {
		s.login.Sign(req)
	}
}

// answer decodes the answer to a call, or returns its error.
func (s *Client) answer(ctx context.Context, c call, resp *http.Response, out any) (err error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return s.failedAnswer(c.op, c.about, resp)
	}
	if c.header != nil {
		*c.header = resp.Header
	}
	if c.page != nil {
		if *c.page, err = io.ReadAll(io.LimitReader(resp.Body, maxPageBytes)); err != nil {
			return s.transportError(ctx, c.op, c.about, err)
		}
		return nil
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	e := &Error{Op: c.op, Path: c.about, Status: resp.StatusCode, kind: ErrNotJupyter}
	if kind := mediaType(resp); kind != "application/json" {
		if kind == "text/html" {
			if e := pageInstead(s, c.op, c.about, resp); e != nil {
				return e
			}
		}
		e.Message = fmt.Sprintf("the answer is %q, not JSON", shorten(kind, 60))
		return e.of(faults.NotJupyter, faults.Values{Address: s.atAddress("")})
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, s.maxAnswer+1))
	if err != nil {
		return s.transportError(ctx, c.op, c.about, err)
	}
	if int64(len(data)) > s.maxAnswer {
		e.kind, e.Message = ErrTooLarge, fmt.Sprintf("the answer is longer than %d MiB", s.maxAnswer>>20)
		return e
	}
	if err := json.Unmarshal(pyjson.Standard(data), out); err != nil {
		e.err = fmt.Errorf("decode the answer: %w", err)
		return e
	}
	return nil
}

// ask is do with the answer as its result.
func ask[T any](ctx context.Context, s *Client, c call) (out T, err error) {
	err = s.do(ctx, c, &out)
	return out, err
}

// list is ask for the lists of kernels and sessions. The server fails to make them (HTTP 500) while any kernel is
// starting or ending, so list makes up to four requests within about half a second.
func list[T any](ctx context.Context, s *Client, c call) ([]T, error) {
	for pause := 40 * time.Millisecond; ; pause *= 3 {
		out, err := ask[[]T](ctx, s, c)
		if !errors.Is(err, ErrServer) || pause > 500*time.Millisecond {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, err
		case <-time.After(pause):
		}
	}
}

// withTimeout adds a timeout to a context without a deadline.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// transportError returns the error for a request that got no answer.
func (s *Client) transportError(ctx context.Context, op, about string, err error) *Error {
	var ended *transport.EndedError
	if errors.As(err, &ended) {
		ctx, err = ended.Context, ended.Err
	}
	// Go's own wrapper repeats method and URL; only the cause helps.
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	e := &Error{Op: op, Path: about, err: err}
	at := faults.Values{Address: s.atAddress("")}
	switch {
	case errors.Is(err, scheme.ErrHTTPS):
		e.kind = ErrNotJupyter // waiting does not help
		return e.of(faults.HTTPSNotHTTP, at)
	case errors.Is(err, scheme.ErrHTTP), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"), errors.As(err, new(tls.RecordHeaderError)):
		e.kind = ErrNotJupyter
		return e.of(faults.HTTPNotHTTPS, at)
	case errors.Is(context.Cause(ctx), errSilentGateway):
		e.kind, e.err = ErrNoGateway, errSilentGateway
		return e.of(faults.GatewayAway, at)
	case errors.Is(ctx.Err(), context.Canceled) && errors.Is(context.Cause(ctx), context.Canceled):
		e.err = context.Canceled
		e.Message = "cancelled"
		return e
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), ctx.Err() != nil:
		e.err = context.DeadlineExceeded
		return e.of(faults.Busy, at)
	}
	if code, detail := cacerts.Fault(err); code != "" {
		e.kind, at.Detail = ErrNotTrusted, detail
		return e.of(code, at)
	}
	e.kind, at.Detail = ErrUnreachable, oneLine(s.Redact(err.Error()))
	return e.of(faults.NotThere, at)
}

// failedAnswer returns the error for an answer that is not a success; it reads a little of the body.
func (s *Client) failedAnswer(op, about string, resp *http.Response) (e *Error) {
	defer func() { e.hub = hub.WhoAnswered(resp) }()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return s.redirected(op, about, resp)
	}
	kind := mediaType(resp)
	var text string
	switch kind {
	case "application/json":
		text = s.messageOf(resp.Body)
	case "text/plain":
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 2048)) // an unreadable message is left out
		text = string(b)
	case "text/html":
		if e := pageInstead(s, op, about, resp); e != nil {
			return e
		}
	}
	return answerError(s, op, about, resp.StatusCode, oneLine(s.Redact(text)), kind == "text/html")
}

// redirected returns the error for a redirect that was not followed.
func (s *Client) redirected(op, about string, resp *http.Response) *Error {
	loc, err := resp.Location()
	if err != nil {
		return answerError(s, op, about, resp.StatusCode, "", false)
	}
	if loc.Host != resp.Request.URL.Host && loginpage.IsLogin(loc.Path) && !strings.Contains(loc.Path, "/hub/") {
		e := &Error{Op: op, Path: about, Status: resp.StatusCode, Message: "the server redirects to a login", kind: ErrUnauthorized}
		return e.of(faults.OtherPage, faults.Values{Address: s.atAddress(""), Detail: "the login at " + shorten(loc.Scheme+"://"+loc.Host, 100)})
	}
	if isLogin(loc) {
		e := answerError(s, op, about, http.StatusUnauthorized, "the server asks for a login", false)
		e.Status = resp.StatusCode
		return e
	}
	if from := resp.Request.URL; from.Scheme == "http" && loc.Scheme == "https" && loc.Hostname() == from.Hostname() && loc.Path == from.Path {
		e := &Error{Op: op, Path: about, Status: resp.StatusCode, kind: ErrNotJupyter}
		return e.of(faults.HTTPSNotHTTP, faults.Values{Address: s.atAddress("")})
	}
	return answerError(s, op, about, resp.StatusCode, s.Redact("the server redirects to "+shorten(loc.Scheme+"://"+loc.Host, 200)), false)
}

// messageOf reads the message that Jupyter's API handlers put into the body of an error.
func (s *Client) messageOf(body io.Reader) string {
	var m struct {
		Message any `json:"message"`
		Reason  any `json:"reason"`
		Error   any `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(body, 64<<10)).Decode(&m) != nil {
		return ""
	}
	var parts []string
	for _, v := range []any{m.Message, m.Reason, m.Error} {
		if t, ok := v.(string); ok && t != "" && !strings.Contains(strings.Join(parts, " "), t) {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, ": ")
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return strings.ToLower(resp.Header.Get("Content-Type"))
	}
	return t
}

// oneLine returns text with control characters and runs of space replaced by single spaces, cut to 300 characters.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, shorten(text, 4096))
	return shorten(strings.Join(strings.Fields(text), " "), 300)
}

// shorten cuts text to n characters and an ellipsis.
func shorten(text string, n int) string {
	seen := 0
	for i := range text {
		if seen == n {
			return text[:i] + "…"
		}
		seen++
	}
	return text
}
