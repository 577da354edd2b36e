package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// The outcomes of calls in the log.
const (
	callOK        = "ok"
	callRefused   = "refused"   // the caller's mistake, or a state that the caller must know
	callCancelled = "cancelled" // by the client
	callAsks      = "asks"      // answered with a question to the client's user
	callFault     = "fault"     // a bug in this program
)

// maxLogged bounds the arguments and the answer in a record, each in characters.
const maxLogged = 4000

// A callLog writes one record for each call of a tool. A record always has names, sizes and ids. It has the arguments and
// the answer, which can contain code, outputs and file contents, only if code is set.
type callLog struct {
	log  *slog.Logger
	code bool
	// redact removes the token from a text; nil without a token.
	redact func(string) string
	// observe is [Config.Observe].
	observe func(tool, outcome string, took time.Duration)
}

// A callRecord collects the logged facts of a call.
type callRecord struct {
	began  time.Time
	tool   string
	answer *tool.Answer
	err    error // from the tool
	asks   bool
	panic  *tool.Panicked
}

// badArguments reports arguments that do not match the tool's schema.
type badArguments struct{ error }

// Kind is "invalid arguments".
func (badArguments) Kind() string { return "invalid arguments" }

func (r *callRecord) outcome(ctx context.Context) string {
	f := tool.Fault{}
	switch {
	case r.panic != nil || errors.As(r.err, &f):
		return callFault
	case r.asks:
		return callAsks
	case r.err != nil && (ctx.Err() != nil || errors.Is(r.err, context.Canceled)):
		return callCancelled
	case r.err != nil:
		return callRefused
	}
	return callOK
}

// write logs a call that was answered with result.
func (l *callLog) write(ctx context.Context, req mcp.CallToolRequest, r *callRecord, result *mcp.CallToolResult) {
	level, outcome, took := slog.LevelInfo, r.outcome(ctx), time.Since(r.began)
	if l.observe != nil {
		l.observe(r.tool, outcome, took)
	}
	if outcome == callFault {
		level = slog.LevelError
	}
	if !l.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("tool", r.tool),
		slog.String("outcome", outcome),
		slog.Duration("took", took.Round(time.Microsecond)),
	}
	if name := clientName(ctx); name != "" {
		attrs = append(attrs, slog.String("client", name))
	}
	if id := tool.ClientOf(ctx); id != "" {
		attrs = append(attrs, slog.String("client_id", id))
	}
	attrs = append(attrs, idsOf(req, r.answer)...)
	attrs = append(attrs, slog.Int("sent", weight(req.Params.Arguments)))
	if n, images := resultSize(result); n > 0 {
		attrs = append(attrs, slog.Int("answered", n), slog.Int("images", images))
	}
	switch {
	case r.panic != nil:
		attrs = append(attrs, slog.Any("error", r.panic), slog.String("stack", string(r.panic.Stack)))
	case r.err != nil:
		attrs = append(attrs, slog.Any("error", r.err))
	}
	if l.code {
		if b, err := tool.Compact(withoutSecrets(withoutInput(r.tool, req.Params.Arguments))); err == nil {
			attrs = append(attrs, slog.String("arguments", l.clipped(string(b))))
		}
		attrs = append(attrs, slog.String("answer", l.clipped(resultText(result))))
	}
	l.log.LogAttrs(ctx, level, "tool call", attrs...)
}

// withoutSecrets returns arguments that can be logged, without the token of the caller: it is secret even if it is not this
// program's.
func withoutSecrets(args any) any { return masked(args, "jupyter_token", "[token]") }

// withoutInput returns the arguments of a tool without the input that it passes to code, which may be a password.
func withoutInput(name string, args any) any {
	if name != "answer_input" {
		return args
	}
	return masked(args, "text", "[input]")
}

// masked replaces the value of an argument if it is present.
func masked(args any, key, shown string) any {
	m, ok := args.(map[string]any)
	if _, has := m[key]; !ok || !has {
		return args
	}
	m = maps.Clone(m)
	m[key] = shown
	return m
}

// clientName is the client's own name and version, "" if it sent none.
func clientName(ctx context.Context) string {
	info := tool.InfoOf(ctx)
	name, _ := textfmt.Cut(strings.TrimSpace(info.Name+" "+info.Version), 100)
	return name
}

// loggedID matches ids of this program and of Jupyter; any other id is the caller's text.
var loggedID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// idsOf returns the analysis session, the run and the run's state of a call: from the answer, or else from the arguments.
func idsOf(req mcp.CallToolRequest, a *tool.Answer) []slog.Attr {
	found := map[string]string{}
	if args, ok := req.Params.Arguments.(map[string]any); ok && a != nil {
		for _, key := range []string{"session_id", "run_id"} {
			found[key], _ = args[key].(string)
		}
	}
	if a != nil {
		if v := reflect.Indirect(reflect.ValueOf(a.Body)); v.Kind() == reflect.Struct {
			for _, f := range reflect.VisibleFields(v.Type()) {
				key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Type.Kind() == reflect.String && (key == "session_id" || key == "run_id" || key == "state") {
					if value, err := v.FieldByIndexErr(f.Index); err == nil {
						found[key] = value.String()
					}
				}
			}
		}
	}
	attrs := lo.FilterMap([]string{"session_id", "run_id", "state"}, func(key string, _ int) (slog.Attr, bool) {
		return slog.String(strings.TrimSuffix(key, "_id"), found[key]), loggedID.MatchString(found[key])
	})
	return attrs
}

// weight returns the approximate size of decoded arguments in bytes.
func weight(v any) (n int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.RawMessage:
		return len(v)
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case map[string]any:
		for key, item := range v {
			n += len(key) + weight(item)
		}
	case nil:
	default:
		n = 4
	}
	return n
}

// resultSize counts the bytes of an answer's texts and images, and the images.
func resultSize(result *mcp.CallToolResult) (bytes, images int) {
	if result == nil {
		return 0, 0
	}
	for _, c := range result.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			bytes += len(c.Text)
		case mcp.ImageContent:
			bytes += len(c.Data)
			images++
		}
	}
	return bytes, images
}

// resultText returns the texts of an answer.
func resultText(result *mcp.CallToolResult) string {
	if result == nil {
		return ""
	}
	return strings.Join(lo.FilterMap(result.Content, func(c mcp.Content, _ int) (string, bool) { t, ok := c.(mcp.TextContent); return t.Text, ok }), "\n")
}

// clipped returns s without the token, then shortened: a cut through the token would hide it from redact.
func (l *callLog) clipped(s string) string {
	if l.redact != nil {
		s = l.redact(s)
	}
	s, _ = textfmt.Cut(s, maxLogged)
	return s
}
