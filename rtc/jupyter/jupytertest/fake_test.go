package jupytertest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// Each fault behaves as named, for the requested number of requests.
func TestFaults(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		c := s.HTTP()
		defer c.CloseIdleConnections()
		ask := func(timeout time.Duration) (status int, took time.Duration, err error) {
			ctx, stop := context.WithTimeout(t.Context(), timeout)
			defer stop()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/sessions", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "token "+s.Token)
			begun := time.Now()
			res, err := c.Do(req)
			took = time.Since(begun)
			if err != nil {
				return 0, took, err
			}
			return res.StatusCode, took, res.Body.Close()
		}
		well := func() {
			t.Helper()
			status, took, err := ask(time.Minute)
			test.Eq(t, http.StatusBadRequest, status, test.Sprint("without a fault", err))
			test.Eq(t, 0, took, test.Sprint("without a fault", err))
		}
		const path = "/api/sess"
		s.Fake.AnswerNext(1, http.MethodGet, path, http.StatusTeapot) // a status that no server sends
		well()
		wrong := s.Fake.AnswerNext(2, http.MethodPost, path, http.StatusBadGateway)
		for range 2 {
			if status, _, err := ask(time.Minute); status != http.StatusBadGateway {
				t.Errorf("answered with %d, %v", status, err)
			}
		}
		well()
		if wrong.Count() != 3 {
			t.Errorf("%d requests were counted", wrong.Count())
		}
		s.Fake.ResetNext(1, "", path)
		if _, _, err := ask(time.Minute); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("reset: %v", err)
		}
		well()
		s.Fake.HangNext(1, "", path)
		_, took, err := ask(time.Minute)
		test.ErrorIs(t, err, context.DeadlineExceeded, test.Sprint("hung"))
		test.Eq(t, time.Minute, took, test.Sprint("hung"))
		well()
		s.Fake.Hang(true)
		go func() {
			time.Sleep(time.Hour)
			s.Fake.Hang(false)
		}()
		status, took, err := ask(2 * time.Hour)
		test.Eq(t, http.StatusBadRequest, status, test.Sprint("stopped for an hour", err))
		test.Eq(t, time.Hour, took, test.Sprint("stopped for an hour", err))
		s.Fake.Delay("", path, 3*time.Second)
		for range 2 {
			status, took, err := ask(time.Minute)
			test.Eq(t, http.StatusBadRequest, status, test.Sprint("slow", err))
			test.Eq(t, 3*time.Second, took, test.Sprint("slow", err))
		}
	})
}

// A file that a server is saving is read once it is complete.
func TestReadsNoHalf(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		book, text := s.Write(t, "a.ipynb", `{"cells": [`), s.Write(t, "a.md", "")
		time.AfterFunc(15*time.Millisecond, func() {
			s.Write(t, book, `{"cells": []}`)
			s.Write(t, text, "one")
		})
		test.Eq(t, `{"cells": []}`, s.Read(t, book))
		test.Eq(t, "one", s.Read(t, text))
	})
}
