package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// LogHandler returns a handler that filters records on their way to another. Without code, it holds back everything that
// could contain code, outputs or file contents: it passes on only the kind of an error, whose text may quote a document or a
// traceback, and only the texts under keys that hold names. With code, it passes on everything. In both cases redact removes
// the token from texts; nil removes nothing. A handler made by LogHandler is returned unchanged.
func LogHandler(to slog.Handler, code bool, redact func(string) string) slog.Handler {
	if h, ok := to.(*logHandler); ok {
		return h
	}
	if redact == nil {
		redact = func(s string) string { return s }
	}
	return &logHandler{to, code, redact}
}

type logHandler struct {
	to     slog.Handler
	code   bool
	redact func(string) string
}

// loggedNames has the keys whose texts name things: files, addresses, ids, states.
var loggedNames = []string{
	"path", "room", "kernel", "tool", "session", "sessionID", "run", "state", "cell", "op", "about", "from", "to", "type",
	"jupyter", "toolsets", "transport", "method", "url", "root", "client", "client_id", "outcome", "stack",
	"uri", "reason", "kernels", "issuer", "why",
}

// hiddenHow says how to see a text that was left out.
const hiddenHow = "--log-code shows it"

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.to.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.to.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.to.WithAttrs(lo.Map(attrs, func(a slog.Attr, _ int) slog.Attr { return h.attr(a) })), h.code, h.redact}
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.to.WithGroup(name), h.code, h.redact}
}

// attr returns an attribute in the form that the log may contain.
func (h *logHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		group := v.Group()
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(lo.Map(group, func(member slog.Attr, _ int) slog.Attr { return h.attr(member) })...)}
	case slog.KindString, slog.KindAny:
		return slog.String(a.Key, h.redact(h.text(a.Key, v)))
	default: // numbers, truth values, times
		return slog.Attr{Key: a.Key, Value: v}
	}
}

func (h *logHandler) text(key string, v slog.Value) string {
	err, isError := v.Any().(error)
	switch {
	case isError && !h.code:
		return ErrorKind(err)
	case isError:
		text, _ := textfmt.Cut(err.Error(), maxLogged)
		return text
	case h.code || slices.Contains(loggedNames, key):
		return v.String()
	case v.Kind() == slog.KindString:
		return fmt.Sprintf("(%d characters, %s)", textfmt.Size(v.String()), hiddenHow)
	}
	return fmt.Sprintf("(%T, %s)", v.Any(), hiddenHow)
}

// ForeignHandler is for a library that logs sentences. The text after the first colon of a sentence, where such libraries
// put the error, becomes an attribute, filtered by [LogHandler].
func ForeignHandler(to slog.Handler) slog.Handler { return foreignHandler{to} }

type foreignHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h foreignHandler) Handle(ctx context.Context, r slog.Record) error {
	says, detail, _ := strings.Cut(r.Message, ": ")
	out := slog.NewRecord(r.Time, r.Level, says, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(a)
		return true
	})
	if detail != "" {
		out.AddAttrs(slog.String("detail", detail))
	}
	return h.Handler.Handle(ctx, out)
}

// loggedErrors has the errors of the standard library whose texts are fixed. Our own errors have a method Kind.
var loggedErrors = []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed}

// ErrorKind returns the kinds of an error and of its causes, in words that never quote text from a notebook, a kernel, a
// server or a caller.
func ErrorKind(err error) string {
	var kinds []string
	add := func(kind string) {
		if kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	var walk func(error)
	walk = func(err error) {
		if err == nil || len(kinds) > 8 {
			return
		}
		add(ownKind(err))
		switch u := err.(type) { //nolint:errorlint // each link of the chain is looked at for itself
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		case interface{ Unwrap() []error }:
			for _, cause := range u.Unwrap() {
				walk(cause)
			}
		}
	}
	walk(err)
	if len(kinds) == 0 {
		return "other"
	}
	return strings.Join(kinds, ", ")
}

// ownKind returns the kind of one error in a chain, "" for one that only adds words.
func ownKind(err error) string {
	if slices.ContainsFunc(loggedErrors, func(known error) bool { return err == known }) { //nolint:errorlint // its causes come after it
		return err.Error()
	}
	switch e := err.(type) { //nolint:errorlint // each link of the chain is looked at for itself
	case interface{ Kind() string }:
		return e.Kind()
	case *net.OpError:
		return e.Op + " " + e.Net
	case *fs.PathError:
		return e.Op + " " + e.Path
	case syscall.Errno:
		return e.Error()
	case *json.SyntaxError:
		return "invalid JSON at byte " + strconv.FormatInt(e.Offset, 10)
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", err), "*")
	if strings.HasPrefix(kind, "errors.") || strings.HasPrefix(kind, "fmt.") { // made of words only
		return ""
	}
	return kind
}
