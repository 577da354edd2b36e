package jupytertest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// Each fault is what its name says, for as many requests as it is asked for.
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
			if status, took, err := ask(time.Minute); status != http.StatusBadRequest || took != 0 {
				t.Errorf("without a fault: %d after %v, %v", status, took, err)
			}
		}
		const path = "/api/sess"
		s.Fake.AnswerNext(1, http.MethodGet, path, http.StatusTeapot) // which nobody sends
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
		if _, took, err := ask(time.Minute); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
			t.Errorf("hung: %v after %v", err, took)
		}
		well()
		s.Fake.Hang(true)
		go func() {
			time.Sleep(time.Hour)
			s.Fake.Hang(false)
		}()
		if status, took, err := ask(2 * time.Hour); status != http.StatusBadRequest || took != time.Hour {
			t.Errorf("stopped for an hour: %d after %v, %v", status, took, err)
		}
		s.Fake.Delay("", path, 3*time.Second)
		for range 2 {
			if status, took, err := ask(time.Minute); status != http.StatusBadRequest || took != 3*time.Second {
				t.Errorf("slow: %d after %v, %v", status, took, err)
			}
		}
	})
}
