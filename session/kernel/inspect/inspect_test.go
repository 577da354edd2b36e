package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// atATime is how many tests run at a time, unless -parallel sets it: each has a kernel that it often waits for while idle.
const atATime = "3"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(jupytertest.Tests(m))
}

// A testKernel is a real kernel of one test.
type testKernel struct {
	t    *testing.T
	srv  *jupyter.Server
	conn *kernel.Conn
}

func (k testKernel) Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error) {
	reply, err := k.conn.Execute(ctx, kernel.Request{Code: code, Silent: true, UserExpressions: expressions}, nil)
	if err == nil && reply.Status != "ok" {
		err = errors.New("the kernel answers " + reply.Status)
	}
	return reply.UserExpressions, err
}

func (k testKernel) Status(ctx context.Context) string {
	told, err := k.srv.Kernels.Get(ctx, k.conn.KernelID())
	if err != nil {
		return kernel.StateUnknown
	}
	return k.conn.Correct(told.ExecutionState)
}

func (k testKernel) Language(ctx context.Context) (string, error) {
	info, err := k.conn.LanguageInfo(ctx)
	name, _ := info["name"].(string)
	return name, err
}

func startKernel(t *testing.T) testKernel {
	t.Helper()
	return kernelOf(t, jupytertest.Shared(t), "python3")
}

func kernelOf(t *testing.T, s *jupytertest.Server, spec string) testKernel {
	t.Helper()
	return kernelIn(t, s, spec, "")
}

func kernelIn(t *testing.T, s *jupytertest.Server, spec, folder string) testKernel {
	t.Helper()
	jupytertest.NeedsReal(t, "a kernel's own values")
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	info, err := srv.Kernels.Start(t.Context(), spec, jupyter.MustPath(folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := srv.Kernels.Shutdown(ctx, info.ID); err != nil {
			t.Error(err)
		}
	})
	conn, err := kernel.Dial(t.Context(), srv, info.ID, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return testKernel{t, srv, conn}
}

// run runs a cell as a person does; an exception in it is returned.
func (k testKernel) run(code string) *kernel.Error {
	k.t.Helper()
	reply, err := k.conn.Execute(k.t.Context(), kernel.Request{Code: code, StoreHistory: true}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	return reply.Error
}

// define runs a cell that must not fail.
func (k testKernel) define(code string) {
	k.t.Helper()
	if e := k.run(code); e != nil {
		k.t.Fatalf("%v\n%s", *e, strings.Join(e.Traceback, "\n"))
	}
}

// eval returns the repr of an expression's value.
func (k testKernel) eval(expression string) string {
	k.t.Helper()
	return k.evalAfter("", expression)
}

// evalAfter returns how a kernel shows an expression's value, after code.
func (k testKernel) evalAfter(code, expression string) string {
	k.t.Helper()
	replies, err := k.Evaluate(k.t.Context(), code, map[string]string{"x": expression})
	if err != nil {
		k.t.Fatal(err)
	}
	m, _ := replies["x"].(map[string]any)
	data, _ := m["data"].(map[string]any)
	text, ok := data["text/plain"].(string)
	if !ok {
		k.t.Fatalf("%s: %v", expression, m)
	}
	return text
}

func (k testKernel) variables(opt inspect.ListOptions) inspect.Listing {
	k.t.Helper()
	out, err := inspect.Variables(k.t.Context(), k, opt)
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

func (k testKernel) value(name string) inspect.Detail {
	k.t.Helper()
	out, err := inspect.Value(k.t.Context(), k, name, inspect.DetailOptions{})
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

func (k testKernel) frame(name string, opt inspect.TableOptions) inspect.Frame {
	k.t.Helper()
	out, err := inspect.DataFrame(k.t.Context(), k, name, opt)
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

// jsonOf returns a value as JSON on one line.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// said returns the text of a raw value.
func said(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s is no text: %v", raw, err)
	}
	return s
}

func decoded(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func rawOf(s string) json.RawMessage { return json.RawMessage(s) }
