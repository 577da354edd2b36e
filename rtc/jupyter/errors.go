package jupyter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
	"github.com/nbduet/nbduet/rtc/jupyter/loginpage"
)

// The kinds of failure, for errors.Is. Each [Error] matches at most one of the first group; for a cancelled or
// expired context it matches context.Canceled or context.DeadlineExceeded.
var (
	// ErrNotFound: no such file, kernel, session or room.
	ErrNotFound = Fixed("not found")
	// ErrUnauthorized: the token is wrong or missing.
	ErrUnauthorized = Fixed("not authorized")
	// ErrForbidden: the token is right, but does not allow the request.
	ErrForbidden = Fixed("forbidden")
	// ErrUnreachable: no server answers at the address, or only a proxy that cannot reach it.
	ErrUnreachable = Fixed("unreachable")
	// ErrNoGateway: the server answers, but the gateway that runs its kernels does not.
	ErrNoGateway = Fixed("the gateway of the kernels does not answer")
	// ErrNotTrusted: the server's certificate does not prove that it is the server.
	ErrNotTrusted = Fixed("not trusted")
	// ErrNoWebsockets: requests reach the server, but websockets do not.
	ErrNoWebsockets = Fixed("no websockets")
	// ErrConflict: something that exists already prevents it (HTTP 409).
	ErrConflict = Fixed("conflict")
	// ErrBadRequest: the server refused the request as malformed (HTTP 400, 405, 422).
	ErrBadRequest = Fixed("bad request")
	// ErrServer: the server failed (other HTTP 5xx).
	ErrServer = Fixed("server error")
	// ErrDiskFull: the server failed because its disk is full; it is an ErrServer, too.
	ErrDiskFull = Fixed("disk full")
	// ErrNotJupyter: the address has no Jupyter Server, or not at this prefix.
	ErrNotJupyter = Fixed("not a Jupyter server's answer")
	// ErrTooLarge: an answer was longer than this client accepts, or a request longer than the server accepts.
	ErrTooLarge = Fixed("too large")
	// ErrNoCollaboration: the server has neither jupyter-collaboration nor jupyter-server-documents.
	ErrNoCollaboration = Fixed("no real-time collaboration on this server")
	// ErrBadPath: the path is not valid in the Contents API, see [ParsePath].
	ErrBadPath = Fixed("bad path")
)

// Error is a failed call to a Jupyter Server.
type Error struct {
	// Op is the operation, such as "read contents".
	Op string
	// Path is its object: a contents path, a kernel or session id, or the server's address.
	Path string
	// Server names the server if there are several, such as "the runtime server at http://…"; else "".
	Server string
	// Status is the HTTP status, 0 without an answer.
	Status int
	// Message is the server's message for people, on one line and shortened; "" for none.
	Message string
	// Hint says what to do; "" for none. If the error is a fault of package faults, it is the fault's whole sentence.
	Hint string

	kind  error        // one of the sentinels above, or nil
	err   error        // the cause, or nil
	fault faults.Fault // or none
	hub   hub.Answerer
	whole bool // the fault's sentence says everything, so the status is left out
}

// of makes the error one of a fault.
func (e *Error) of(code faults.Code, v faults.Values) *Error {
	e.fault = faults.New(code, v)
	e.Hint = e.fault.Error()
	return e
}

// Kind returns the operation and the HTTP status, without the answer's text.
func (e *Error) Kind() string {
	if e.Status != 0 {
		return e.Op + ": HTTP " + strconv.Itoa(e.Status)
	}
	return e.Op
}

// Error returns all of it on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	switch {
	case e.Path != "":
		fmt.Fprintf(&b, " %q", e.Path)
	case strings.HasSuffix(e.Op, " of"):
		b.WriteString(" the root folder")
	}
	if e.Server != "" {
		b.WriteString(" on " + e.Server)
	}
	b.WriteString(": ")
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
	case (e.whole || e.Status == 0) && e.fault.Code != "":
		return b.String() + e.Hint
	case e.err != nil:
		b.WriteString(e.err.Error())
	case e.Status != 0 && http.StatusText(e.Status) != "":
		b.WriteString(strings.ToLower(http.StatusText(e.Status)))
	case e.kind != nil:
		b.WriteString(e.kind.Error())
	default:
		b.WriteString("failed")
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap makes errors.Is match both the kind of the failure and its cause, and [faults.Of] find the fault.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.fault.Code != "" {
		errs = append(errs, e.fault)
	}
	if e.kind != nil {
		errs = append(errs, e.kind)
	}
	if e.err != nil {
		errs = append(errs, e.err)
	}
	return errs
}

// answerError makes the error for an HTTP answer that is not a success. text is the server's message, from JSON or
// plain text; html is set if the body was a page, which no API handler writes.
func answerError(s *Client, op, path string, status int, text string, html bool) *Error {
	at := faults.Values{Address: s.atAddress("")}
	e := &Error{Op: op, Path: path, Status: status, Message: text}
	switch {
	case !html && ofGateway(status, text):
		e.kind, e.Message = ErrNoGateway, "the kernels' gateway does not answer"
		return e.of(faults.GatewayAway, at)
	case status == http.StatusUnauthorized:
		e.kind = ErrUnauthorized
		return e.of(s.finder.refusal(), at)
	case status == http.StatusForbidden:
		// A bad token looks like a missing XSRF argument, because that check comes first; reads get a plain
		// "Forbidden". Any other text refuses the requested action. A page can be a hub's, for a stopped server.
		switch {
		case html:
			e.kind = ErrUnauthorized
			return e.of(faults.HubStopped, at)
		case text == "" || strings.EqualFold(text, "forbidden") || strings.Contains(text, "_xsrf"):
			e.kind, e.Message = ErrUnauthorized, "access refused"
			return e.of(s.finder.refusal(), at)
		default:
			e.kind, e.Hint = ErrForbidden, "the server does not allow this for the token's user"
		}
	case status == http.StatusNotFound:
		e.kind = ErrNotFound
		if html { // API handlers answer in JSON, so this is not one
			e.kind, e.Message = ErrNotJupyter, "the endpoint does not exist"
			return e.of(faults.NotJupyter, at)
		}
	case status == http.StatusConflict:
		e.kind = ErrConflict
	case status == http.StatusRequestEntityTooLarge:
		e.kind = ErrTooLarge
	case status == http.StatusFailedDependency: // JupyterHub's own
		e.kind = ErrUnreachable
		return e.of(faults.HubStopped, at)
	case proxyStatus(status):
		e.kind = ErrUnreachable
		return e.of(faults.ProxyWithoutServer, at)
	case status >= 500 && diskFull(text):
		e.kind, e.err = ErrServer, ErrDiskFull
		return e.of(faults.DiskFull, at)
	case status >= 500:
		e.kind, e.Hint = ErrServer, "see the Jupyter server's log"
	case status == http.StatusBadRequest, status == http.StatusMethodNotAllowed, status == http.StatusUnprocessableEntity:
		e.kind = ErrBadRequest
	default: // redirects, too
		e.kind = ErrNotJupyter
		return e.of(faults.NotJupyter, at)
	}
	return e
}

// proxyStatus reports whether a status is that of a proxy whose server does not answer.
func proxyStatus(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// ofGateway reports whether an answer of Jupyter Server means that it has not reached the gateway of its kernels: 503
// if nothing listens there, 404 if its name is unknown, the status of a proxy before the gateway, or 599 for a
// timeout. A session's kernel fails with 500, with the status in the text. Even /api/status, which counts kernels,
// fails like this. Other statuses "from Gateway" are those of a gateway that answers.
func ofGateway(status int, text string) bool {
	if strings.Contains(text, "was received from Gateway server url") || strings.Contains(text, "specified in the gateway_url") {
		return true
	}
	if inner, ok := strings.CutPrefix(text, "HTTP "); ok && status == http.StatusInternalServerError && len(inner) > 3 {
		status, _ = strconv.Atoi(inner[:3])
	}
	return strings.Contains(text, "Error from Gateway: [") && (proxyStatus(status) || status == noAnswerInTime)
}

// noAnswerInTime is the status that tornado's HTTP client gives to a timeout.
const noAnswerInTime = 599

// diskFull reports whether a message is that of ENOSPC or EDQUOT, as Python and operating systems write them.
func diskFull(message string) bool {
	known := []string{"[Errno 28]", "No space left on device", "[Errno 122]", "Disk quota exceeded", "There is not enough space on the disk"}
	return slices.ContainsFunc(known, func(words string) bool { return strings.Contains(message, words) })
}

// hubClient returns a client of the server's hub, with the server's token.
func hubClient(s *Client, at *place) hub.Client {
	return hub.Client{HTTP: s.http, Token: at.token, UserAgent: s.userAgent}
}

// explained adds the hub's explanation to the error of a request, if the server is on a hub: the server does not run,
// or the token is unknown there, or lacks a scope. It returns err, modified.
func explained(ctx context.Context, s *Client, at *place, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.hub == hub.Other || at.token == "" {
		return err
	}
	where, ok := hub.PlaceOf(at.base)
	if !ok {
		return err
	}
	var stopped bool
	switch e.Status {
	case http.StatusUnauthorized:
	case http.StatusForbidden:
		if errors.Is(e, ErrForbidden) && e.hub != hub.TheHub { // the requested action is forbidden
			return err
		}
		stopped = e.fault.Code == faults.HubStopped
	case http.StatusFailedDependency, http.StatusServiceUnavailable, http.StatusFound, http.StatusNotFound:
		if errors.Is(e, ErrNotFound) { // of a running server
			return err
		}
		stopped = true
	default:
		return err
	}
	v := s.hub.Ask(ctx, hubClient(s, at), where, stopped)
	values := faults.Values{Detail: where.String(), Address: where.Spawn()}
	switch v.Reason {
	case hub.UnknownToken:
		return e.at(ErrUnauthorized, faults.HubUnknownToken, faults.Values{Address: where.Tokens()})
	case hub.NoScope:
		return e.at(ErrUnauthorized, faults.HubScope, faults.Values{
			Address: where.Tokens(), Detail: fmt.Sprintf("it is %s's, and lacks the scope %s", v.Holder.Name, v.Holder.Wants(hub.Access, where)),
		})
	case hub.Starting:
		return e.at(ErrUnreachable, faults.HubStarting, values)
	case hub.Stopped:
		if v.CanStart {
			return e.at(ErrUnreachable, faults.HubServerStopped, values)
		}
		values.Address += " (a call cannot, because the token lacks the scope " + v.Holder.Wants(hub.Start, where) + ")"
		return e.at(ErrUnreachable, faults.HubCannotStart, values)
	}
	return err
}

// at makes the error one of a kind and of a fault, whose sentence says everything.
func (e *Error) at(kind error, code faults.Code, v faults.Values) *Error {
	e.kind, e.err, e.Message, e.whole = kind, nil, "", true
	return e.of(code, v)
}

// pageInstead returns the error for an HTML page in place of an answer of Jupyter's API, which never answers with
// one; nil if the page may be a hub's or Jupyter's own.
func pageInstead(s *Client, op, about string, resp *http.Response) *Error {
	page := loginpage.Read(resp.Body)
	page.Title = s.Redact(page.Title)
	e := &Error{Op: op, Path: about, Status: resp.StatusCode, kind: ErrNotJupyter, Message: "the answer is an HTML page"}
	switch jupyters := hub.WhoAnswered(resp) != hub.Other || strings.Contains(page.Title, "Jupyter"); {
	case page == loginpage.Page{}:
		return nil
	case resp.StatusCode == http.StatusOK && !page.Login:
		e.Message = "the answer is the HTML page " + page.String() + ", not JSON"
		return e.of(faults.NotJupyter, faults.Values{Address: s.atAddress("")})
	case jupyters:
		return nil
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		e.kind = ErrUnauthorized
	case !page.Login:
		return nil
	}
	return e.of(faults.OtherPage, faults.Values{Address: s.atAddress(""), Detail: page.String()})
}

// withRole adds the server to an error, if there are several servers.
func (s *Client) withRole(err error) error {
	var e *Error
	if s.role != "" && errors.As(err, &e) && e.Server == "" {
		e.Server = "the " + s.role + " server"
		if at := s.BaseURL(); at != "" {
			e.Server += " at " + at
		}
		e.Hint, e.fault = faults.ForRole(s.role, e.Hint), e.fault.ForRole(s.role)
	}
	return err
}

// atAddress returns the word and the server's address; "" if errors name the server anyway.
func (s *Client) atAddress(word string) string {
	if s.role != "" {
		return ""
	}
	return word + s.BaseURL()
}

// Fixed is errors.New for a text that quotes nothing: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// fixedError is used as a pointer, so that two errors with the same text differ.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind returns the text.
func (e *fixedError) Kind() string { return e.text }
