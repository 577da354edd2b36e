package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/transport"
)

// answers is the end of a chain: an answer with a body.
func answers(body string) transport.Func {
	return func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return nil, err
			}
		}
		return &http.Response{StatusCode: http.StatusOK, Request: req, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// ask makes a request through layers, and reads the answer.
func ask(t *testing.T, base http.RoundTripper, body io.Reader, layers ...transport.Layer) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/api", body)
	must.NoError(t, err)
	resp, err := transport.Chain(base, layers...).RoundTrip(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	must.NoError(t, resp.Body.Close())
	return string(text), err
}

func TestFirstLayerIsOutermost(t *testing.T) {
	var order []string
	layer := func(name string) transport.Layer {
		return transport.Header(func(*http.Request) { order = append(order, name) })
	}
	_, err := ask(t, answers(""), nil, layer("first"), layer("second"))
	must.NoError(t, err)
	test.SliceEqOp(t, []string{"first", "second"}, order)
}

func TestHeaderLeavesTheRequestAlone(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/api", nil)
	must.NoError(t, err)
	sign := transport.Header(func(req *http.Request) { req.Header.Set("Authorization", "token x") })
	resp, err := transport.Chain(answers(""), sign).RoundTrip(req)
	must.NoError(t, err)
	must.NoError(t, resp.Body.Close())
	test.Eq(t, "token x", resp.Request.Header.Get("Authorization"))
	test.MapEmpty(t, req.Header)
}

// The functions of Beside are called for each part of the request and its answer, and at the end of the answer's
// body.
func TestBeside(t *testing.T) {
	moved, ended := 0, 0
	beside := transport.Beside(func(req *http.Request) (context.Context, func(), func()) {
		return req.Context(), func() { moved++ }, func() { ended++ }
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/api", strings.NewReader("question"))
	must.NoError(t, err)
	resp, err := transport.Chain(answers("answer"), beside).RoundTrip(req)
	must.NoError(t, err)
	test.Eq(t, 2, moved, test.Sprint("the request's body, and the answer"))
	text, err := io.ReadAll(resp.Body)
	must.NoError(t, err)
	test.Eq(t, "answer", string(text))
	test.Eq(t, 3, moved)
	test.Eq(t, 0, ended)
	must.NoError(t, resp.Body.Close())
	test.Eq(t, 1, ended)
}

// A request that a layer has ended fails with that layer's context, with or without an answer.
func TestEnded(t *testing.T) {
	silent := errors.New("silent")
	beside := transport.Beside(func(req *http.Request) (context.Context, func(), func()) {
		ctx, end := context.WithCancelCause(req.Context())
		end(silent)
		return ctx, func() {}, func() {}
	})
	outer := transport.Beside(func(req *http.Request) (context.Context, func(), func()) {
		ctx, end := context.WithCancel(req.Context())
		return ctx, func() {}, end
	})
	failed := errors.New("failed")
	breaks := transport.Func(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Request: req, Body: io.NopCloser(io.MultiReader(strings.NewReader("a"), broken{failed}))}, nil
	})
	for name, base := range map[string]http.RoundTripper{
		"no answer":           transport.Func(func(*http.Request) (*http.Response, error) { return nil, failed }),
		"a part of an answer": breaks,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ask(t, base, nil, outer, beside)
			var ended *transport.EndedError
			must.True(t, errors.As(err, &ended))
			test.ErrorIs(t, context.Cause(ended.Context), silent)
			test.ErrorIs(t, err, failed)
			test.Eq(t, "failed", err.Error())
			_, err = ask(t, base, nil, outer)
			test.ErrorIs(t, err, failed)
			test.False(t, errors.As(err, &ended), test.Sprint("nothing has ended it"))
		})
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
