package transport_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/transport"
)

// An answer gives one line; a failed request is not logged.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := transport.Log(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), func(*http.Request) []slog.Attr {
		return []slog.Attr{slog.String("op", "read")}
	})
	_, err := ask(t, answers(""), nil, log)
	must.NoError(t, err)
	test.Eq(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
	test.StrContains(t, out.String(), `msg="jupyter request" op=read status=200 took=`)
	out.Reset()
	_, err = ask(t, transport.Func(func(*http.Request) (*http.Response, error) { return nil, errors.New("failed") }), nil, log)
	test.EqError(t, err, "failed")
	test.Eq(t, "", out.String())
}
