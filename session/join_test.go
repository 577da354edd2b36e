package session_test

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A connection that breaks under the first look at a file does not fail the call.
func TestOpenLooksAgain(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		var broken atomic.Int32
		m := sessiontest.Manager(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/api/contents/") && broken.Add(1) == 1 {
					panic(http.ErrAbortHandler) // the connection is closed without an answer
				}
				next.ServeHTTP(w, r)
			})
		}), session.Config{})
		sessiontest.Open(t, m, s.Notebook(t, "x = 1"))
		if broken.Load() < 2 {
			t.Error("no connection was broken: the test shows nothing")
		}
	})
}

// The room of a notebook that the server cannot read is not opened: a failing room may end all others.
func TestBrokenNotebookIsNotJoined(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		var joined atomic.Int32
		m := sessiontest.Manager(t, sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/api/collaboration/room/json:notebook") {
					joined.Add(1)
				}
				next.ServeHTTP(w, r)
			})
		}), session.Config{})
		_, err := m.Open(t.Context(), jupyter.MustPath(s.Write(t, s.Name(t, ".ipynb"), `{"cells": [`)))
		var end *rtc.CloseError
		must.True(t, errors.As(err, &end), must.Sprint("opened"))
		test.Eq(t, rtc.CodeInvalid, end.Code, test.Sprint("opened"))
		if n := joined.Load(); n != 0 {
			t.Errorf("its room was joined %d times", n)
		}
	})
}
