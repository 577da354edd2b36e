package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// panicsWith returns the error made from a panic.
func panicsWith(fn func()) (p *tool.Panicked) {
	defer func() { p = tool.Caught(recover()) }()
	fn()
	return nil
}

// The log has the kind of an error, and nothing that its text may quote.
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
		{"a.ipynb not saved", &filesync.UnsavedError{Path: jupyter.MustPath("a.ipynb"), Reason: "s3cret"}},
		{"kernel.Error", kernel.Error{Name: "s3cret", Value: "s3cret"}},
		{"update refused at byte 3: bad", &wire.FormatError{What: "update", Offset: 3, Reason: "bad", Detail: "s3cret"}},
		{"dial tcp, connection refused", &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}},
		{"panic with string", panicsWith(func() { panic("s3cret") })},
		{"runtime error: index out of range [6] with length 0", panicsWith(func() { _ = strings.Split("", "")[len("s3cret")] })},
		{"no such analysis session, EOF", errors.Join(analysis.ErrNoSession, fmt.Errorf("s3cret: %w", io.EOF))},
	} {
		got := ErrorKind(c.err)
		test.StrHasSuffix(t, c.want, got)
		test.StrNotContains(t, got, "s3cret")
	}
}
