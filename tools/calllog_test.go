package tools

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/tool"
)

// A log without code passes on names, numbers and kinds; one with code everything but the token.
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

// A record names the session and run of a call, as answered, and never takes a caller's text for a name.
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

// A model's answer to code may be a password, and is not logged.
func TestAnsweredInputIsNotLogged(t *testing.T) {
	args := map[string]any{"run_id": "run-1", "text": "hunter2"}
	got := fmt.Sprint(withoutInput("answer_input", args))
	test.Eq(t, "map[run_id:run-1 text:[input]]", got)
	test.EqOp[any](t, "hunter2", args["text"])
	if got := fmt.Sprint(withoutInput("insert_document_text", args)); !strings.Contains(got, "hunter2") {
		t.Errorf("%s", got)
	}
}

// A token that a caller sends is not logged, but reaches the tool.
func TestSentTokensAreNotLogged(t *testing.T) {
	args := map[string]any{"jupyter_url": "u", "jupyter_token": "s3cret"}
	b, err := tool.Compact(withoutSecrets(args))
	must.NoError(t, err)
	test.StrNotContains(t, string(b), "s3cret")
	test.StrContains(t, string(b), `"jupyter_url":"u"`)
	test.EqOp[any](t, "s3cret", args["jupyter_token"])
	if other := withoutSecrets(map[string]any{"code": "x"}); fmt.Sprint(other) != "map[code:x]" {
		t.Errorf("%v", other)
	}
}
