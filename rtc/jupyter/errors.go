package jupyter

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The kinds of failure, for errors.Is. Each [Error] is of at most one of the first group; a cancelled or expired
// context is told by context.Canceled and context.DeadlineExceeded.
var (
	// ErrNotFound: no such file, kernel, session or room.
	ErrNotFound = errors.New("not found")
	// ErrUnauthorized: the token is wrong or missing.
	ErrUnauthorized = errors.New("not authorized")
	// ErrForbidden: the token is right, and what was asked is not allowed.
	ErrForbidden = errors.New("forbidden")
	// ErrUnreachable: no server answers at the address, or only a proxy that cannot reach it.
	ErrUnreachable = errors.New("unreachable")
	// ErrConflict: what is there already stands in the way (HTTP 409).
	ErrConflict = errors.New("conflict")
	// ErrBadRequest: the server refused the request as malformed (HTTP 400, 405, 422).
	ErrBadRequest = errors.New("bad request")
	// ErrServer: the server failed (other HTTP 5xx).
	ErrServer = errors.New("server error")
	// ErrNotJupyter: what answered is no Jupyter Server, or not at this prefix.
	ErrNotJupyter = errors.New("not a Jupyter server's answer")
	// ErrTooLarge: an answer was longer than this client accepts, or a request longer than the server does.
	ErrTooLarge = errors.New("too large")
	// ErrNoCollaboration: the server has neither jupyter-collaboration nor jupyter-server-documents.
	ErrNoCollaboration = errors.New("no real-time collaboration on this server")
	// ErrBadPath: a path that the Contents API has no name for, see [CleanPath].
	ErrBadPath = errors.New("bad path")
)

// Error is a failed call to a Jupyter Server.
type Error struct {
	// Op is what was being done, such as "read contents".
	Op string
	// Path is what it was done to: a contents path, a kernel or session id, or the server's address.
	Path string
	// Server says which one it was where there are several, such as "the runtime server at http://…"; "" where not.
	Server string
	// Status is the HTTP status, 0 where no answer came.
	Status int
	// Message is what the server said, on one line and cut to size; "" where it said nothing for people.
	Message string
	// Hint says what to do, "" where there is nothing to advise.
	Hint string

	kind error // one of the sentinels above, or nil
	err  error // the cause, or nil
}

// Error returns all of it on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Path != "" {
		fmt.Fprintf(&b, " %q", e.Path)
	}
	if e.Server != "" {
		b.WriteString(" on " + e.Server)
	}
	b.WriteString(": ")
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
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

// Unwrap makes errors.Is see both the kind of the failure and its cause.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.kind != nil {
		errs = append(errs, e.kind)
	}
	if e.err != nil {
		errs = append(errs, e.err)
	}
	return errs
}

const (
	hintToken    = "the token is wrong or missing: set " + settingToken + " to this server's token, as `jupyter server list` shows it"
	hintCollab   = "install jupyter-collaboration beside JupyterLab (pip install jupyter-collaboration) and restart Jupyter"
	hintRedirect = "give the address that Jupyter itself has (http or https, host, port and prefix)"
)

// answerError makes the error for an HTTP answer that is no success. text is what the server said where it said it as
// JSON or plain text; html tells that the body was a page, which no API handler writes.
func answerError(op, path string, status int, text string, html bool) *Error {
	e := &Error{Op: op, Path: path, Status: status, Message: text}
	switch {
	case status == http.StatusUnauthorized:
		e.kind, e.Hint = ErrUnauthorized, hintToken
	case status == http.StatusForbidden:
		// A bad token looks like a missing XSRF argument, because that check answers first; a plain "Forbidden" is
		// what reads get. Anything else is a refusal of what was asked. A page can be a hub's, whose server is stopped.
		switch {
		case html:
			e.kind, e.Hint = ErrUnauthorized, hintToken+"; on a JupyterHub, see that the server is started"
		case text == "" || strings.EqualFold(text, "forbidden") || strings.Contains(text, "_xsrf"):
			e.kind, e.Message, e.Hint = ErrUnauthorized, "access refused", hintToken
		default:
			e.kind, e.Hint = ErrForbidden, "the server does not allow this to the token's user"
		}
	case status == http.StatusNotFound:
		e.kind = ErrNotFound
		if html { // the API's handlers say it in JSON: there is none here
			e.kind, e.Message = ErrNotJupyter, "there is no such endpoint"
			e.Hint = "see that the address has the server's whole base URL (prefix included), and that the extension it needs is installed"
		}
	case status == http.StatusConflict:
		e.kind = ErrConflict
	case status == http.StatusRequestEntityTooLarge:
		e.kind = ErrTooLarge
	case status == http.StatusFailedDependency, status == http.StatusBadGateway,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		e.kind, e.Hint = ErrUnreachable, "a proxy answers, the Jupyter server behind it does not: start it (on a JupyterHub: in the hub's control panel)"
	case status >= 500:
		e.kind, e.Hint = ErrServer, "the Jupyter server's log says more"
	case status == http.StatusBadRequest, status == http.StatusMethodNotAllowed, status == http.StatusUnprocessableEntity:
		e.kind = ErrBadRequest
	case status >= 300 && status < 400:
		e.kind, e.Hint = ErrNotJupyter, hintRedirect
	default:
		e.kind = ErrNotJupyter
	}
	return e
}
