package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"unsafe"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// A requestError is the error of a request for a resource, with its code and data in JSON-RPC.
type requestError struct {
	Code     int    // mcp.INVALID_PARAMS or mcp.INTERNAL_ERROR
	Message  string // one of a few fixed texts
	Resource string // the URI
	Reason   string // the exact error, and what to do
}

func (e *requestError) Error() string { return e.Message }

func (e *requestError) data() map[string]any {
	// The protocol names the address uri, and the contract of context:// names it resource.
	return map[string]any{"uri": e.Resource, "resource": e.Resource, "reason": e.Reason}
}

// noResource is the error for an address without a resource for the client.
func noResource(uri, message, reason string) error {
	uri, _ = textfmt.Cut(uri, 2000)
	return &requestError{mcp.INVALID_PARAMS, message, uri, reason}
}

// codeErrors gives errors of requests for resources their codes and data. mcp-go answers each error of a resource's handler
// with -32603 and without data. The only way to change that is the hook that receives the error just before it is written:
// it sets the fields of mcp-go's error. If a later version has other fields, the error stays unchanged. settle settles the
// hints of a text, and refusal returns why a request to subscribe was refused before it reached mcp-go.
//
// Each resource that could not be read leaves a record in the log.
func codeErrors(hooks *server.Hooks, settle func(string) string, refusal func(message any) *requestError, log *slog.Logger) {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		switch method {
		case mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		default:
			return
		}
		e := refusal(message)
		read, reads := message.(*mcp.ReadResourceRequest)
		if reads {
			defer func() { logUnread(ctx, log, read.Params.URI, e, err) }()
		}
		if e == nil && !errors.As(err, &e) {
			if !reads || !errors.Is(err, server.ErrResourceNotFound) {
				return
			}
			uri, _ := textfmt.Cut(read.Params.URI, 2000)
			e = &requestError{mcp.INVALID_PARAMS, msgUnknown + uri, uri, "no resource has such an address: resources/templates/list lists the address templates"}
			if inner := errors.Unwrap(err); inner != nil && reachedHandler(inner) {
				e.Message, e.Reason = inner.Error(), inner.Error()
			}
			if scheme, _, _ := strings.Cut(ContextScheme, "//"); strings.HasPrefix(uri, scheme) {
				e.Code = mcp.INVALID_REQUEST // required by its contract
			}
		}
		recode(err, &requestError{e.Code, settle(e.Message), e.Resource, settle(e.Reason)})
	})
}

// codePromptErrors gives errors about the arguments of a prompt the code for invalid parameters. mcp-go answers each error
// of a prompt with -32603. settle settles the hints of a text.
func codePromptErrors(hooks *server.Hooks, settle func(string) string) {
	hooks.AddOnError(func(_ context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		if method != mcp.MethodPromptsGet {
			return
		}
		if errors.As(err, new(tool.ArgumentError)) || errors.Is(err, jupyter.ErrNotFound) || errors.Is(err, jupyter.ErrBadPath) {
			if code, _, _, ok := fieldsOf(err); ok {
				settable(code).SetInt(mcp.INVALID_PARAMS)
			}
		}
		if text := err.Error(); settle(text) != text {
			Reword(err, settle(text))
		}
	})
}

// logUnread logs a resource that could not be read. e is the coded error, nil if it has none.
func logUnread(ctx context.Context, log *slog.Logger, uri string, e *requestError, err error) {
	uri, _ = textfmt.Cut(uri, 2000)
	e = cmp.Or(e, &requestError{mcp.INTERNAL_ERROR, "Failed to read resource", uri, err.Error()})
	level := slog.LevelWarn // a mistake of the client
	if e.Code == mcp.INTERNAL_ERROR {
		level = slog.LevelError
	}
	log.LogAttrs(ctx, level, "Resource read failed", slog.String("uri", uri), slog.Int("code", e.Code), slog.String("reason", e.Message),
		slog.Any("error", err), slog.String("detail", e.Reason))
}

// reachedHandler distinguishes an error of our handlers from mcp-go's own error, which wraps only its sentinel.
func reachedHandler(err error) bool {
	var joined interface{ Unwrap() []error }
	return errors.As(err, &joined)
}

// recode sets the code, the message and the data of mcp-go's error to those of e.
func recode(err error, e *requestError) {
	code, cause, data, ok := fieldsOf(err)
	if !ok {
		return
	}
	settable(code).SetInt(int64(e.Code))
	settable(cause).Set(reflect.ValueOf(fmt.Errorf("%w", e)))
	settable(data).Set(reflect.ValueOf(e.data()))
}

// Reword changes the message of mcp-go's error in a hook. The code stays.
func Reword(err error, message string) {
	if _, cause, _, ok := fieldsOf(err); ok {
		settable(cause).Set(reflect.ValueOf(fmt.Errorf("%w", errors.New(message))))
	}
}

// fieldsOf finds the fields of mcp-go's error.
func fieldsOf(err error) (code, cause, data reflect.Value, ok bool) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return code, cause, data, false
	}
	code, cause, data = v.Elem().FieldByName("code"), v.Elem().FieldByName("err"), v.Elem().FieldByName("data")
	ok = code.Kind() == reflect.Int && cause.IsValid() && cause.Type() == reflect.TypeFor[error]() &&
		data.IsValid() && data.Type() == reflect.TypeFor[any]()
	return code, cause, data, ok
}

// settable makes an unexported field settable.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}
