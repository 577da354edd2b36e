package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	sessions "github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/saved"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// panicsWith is the error that is made of a panic.
func panicsWith(fn func()) (p *tool.Panicked) {
	defer func() { p = tool.Caught(recover()) }()
	fn()
	return nil
}

// The log says of what kind an error is, and nothing that its text may quote.
func TestErrorKind(t *testing.T) {
	_, badPath := jupyter.ParsePath("s3cret\x00")
	for _, c := range []struct {
		want string
		err  error
	}{
		{"other", fmt.Errorf("s3cret: %w", errors.New("s3cret"))},
		{"session_not_found", fmt.Errorf("s3cret: %w", tool.Coded{Code: "session_not_found", Message: "s3cret"})},
		{"fault", tool.Fault{Err: errors.New("s3cret")}},
		{"invalid arguments", badArguments{errors.New("s3cret")}},
		{"read: HTTP 404", fmt.Errorf("s3cret: %w", &jupyter.Error{Op: "read", Status: 404, Message: "s3cret", Path: "s3cret"})},
		{"bad path", badPath},
		{"room closed: refused", &rtc.CloseError{Code: rtc.CodeRefused, Reason: "s3cret", Err: errors.New("s3cret")}},
		{"the kernel is dead", fmt.Errorf("s3cret: %w", kernel.ErrKernelDead)},
		{"session.LostError, context canceled", &session.LostError{Name: "s3cret", Err: context.Canceled}},
		{"a.ipynb not saved", &saved.UnsavedError{Path: jupyter.MustPath("a.ipynb"), Reason: "s3cret"}},
		{"kernel.Error", kernel.Error{Name: "s3cret", Value: "s3cret"}},
		{"update refused at byte 3: bad", &wire.FormatError{What: "update", Offset: 3, Reason: "bad", Detail: "s3cret"}},
		{"dial tcp, connection refused", &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}},
		{"panic with string", panicsWith(func() { panic("s3cret") })},
		{"runtime error: index out of range [6] with length 0", panicsWith(func() { _ = strings.Split("", "")[len("s3cret")] })},
		{"there is no such analysis session, EOF", errors.Join(sessions.ErrNoSession, fmt.Errorf("s3cret: %w", io.EOF))},
	} {
		if got := ErrorKind(c.err); !strings.HasSuffix(got, c.want) || strings.Contains(got, "s3cret") {
			t.Errorf("the kind of %q is %q, want %q", c.err, got, c.want)
		}
	}
}

// A log without code lets through names, numbers and kinds; one with code all but the token.
func TestLogHandler(t *testing.T) {
	redact := func(s string) string { return strings.ReplaceAll(s, "t0ken", "[token]") }
	for code, c := range map[bool]struct{ has, lacks []string }{
		false: {[]string{"path=a.ipynb", "kernels=http://k", "n=7", "took=2s", "error=EOF", "group.room=r", "kernel=k", "text=\"(6 characters,", "value=\"([]string,", "detail=\"(", "msg=says"}, []string{"s3cret", "t0ken"}},
		true:  {[]string{"path=a.ipynb", "n=7", "error=\"s3cret: EOF\"", "text=s3cret", "value=[s3cret]", "group.text=s3cret", "with=s3cret", "detail=s3cret", "[token]"}, []string{"t0ken"}},
	} {
		var b strings.Builder
		h := LogHandler(slog.NewTextHandler(&b, nil), code, redact)
		if LogHandler(h, !code, nil) != h {
			t.Error("a handler is put before one that is there")
		}
		log := slog.New(h)
		log.Info("t0ken", "path", "a.ipynb", "n", 7, "took", 2*time.Second, "error", fmt.Errorf("s3cret: %w", io.EOF),
			"text", "s3cret", "value", []string{"s3cret"}, "url", "http://h/?token=t0ken", "kernels", "http://k",
			slog.Group("group", "room", "r", "text", "s3cret"))
		log.With("kernel", "k", "with", "s3cret").WithGroup("g").Info("more", "text", "s3cret")
		slog.NewLogLogger(ForeignHandler(h), slog.LevelWarn).Print("says: s3cret")
		for _, want := range c.has {
			if !strings.Contains(b.String(), want) {
				t.Errorf("with code %v, the log lacks %q:\n%s", code, want, b.String())
			}
		}
		for _, bad := range c.lacks {
			if strings.Contains(b.String(), bad) {
				t.Errorf("with code %v, the log has %q:\n%s", code, bad, b.String())
			}
		}
	}
}

// A record names the session and run of a call, as answered, and takes nothing for a name that is a caller's text.
func TestRecordNames(t *testing.T) {
	req := mcp.CallToolRequest{}
	req.Params.Arguments = map[string]any{"session_id": "abc123", "run_id": "import os"}
	for want, a := range map[string]*tool.Answer{
		"":                                       nil, // refused
		"session=abc123":                         {Body: struct{ A int }{1}},
		"session=def4":                           {Body: analysis.ConnectResult{SessionInfo: analysis.SessionInfo{ID: "def4"}, Connected: true}},
		"session=abc123 run=run-7 state=running": {Body: &analysis.CodeResult{RunID: "run-7", State: "running"}},
	} {
		var got []string
		for _, attr := range idsOf(req, a) {
			got = append(got, attr.String())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("the record has %q, want %q", s, want)
		}
	}
}

// What a model answers to code may be a password, and is not logged.
func TestAnsweredInputIsNotLogged(t *testing.T) {
	args := map[string]any{"run_id": "run-1", "text": "hunter2"}
	if got := fmt.Sprint(withoutInput("answer_input", args)); got != "map[run_id:run-1 text:[input]]" || args["text"] != "hunter2" {
		t.Errorf("%s, %v", got, args)
	}
	if got := fmt.Sprint(withoutInput("insert_document_text", args)); !strings.Contains(got, "hunter2") {
		t.Errorf("%s", got)
	}
}

// A token that a caller sends is not logged, and reaches the tool all the same.
func TestSentTokensAreNotLogged(t *testing.T) {
	args := map[string]any{"jupyter_url": "u", "jupyter_token": "s3cret"}
	b, err := tool.Compact(withoutSecrets(args))
	if err != nil || strings.Contains(string(b), "s3cret") || !strings.Contains(string(b), `"jupyter_url":"u"`) || args["jupyter_token"] != "s3cret" {
		t.Errorf("%s, %v, %v", b, err, args)
	}
	if other := withoutSecrets(map[string]any{"code": "x"}); fmt.Sprint(other) != "map[code:x]" {
		t.Errorf("%v", other)
	}
}
