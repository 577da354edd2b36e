package jupytertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake"
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

// Who listens hears what happens to files, through the server and in its rooms.
func TestEvents(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		d := websocket.Dialer{NetDialContext: jupytertest.Dial(t)}
		ws, res, err := d.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/api/events/subscribe", http.Header{"Authorization": {"token " + s.Token}})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		defer ws.Close()
		c := s.HTTP()
		if c == nil {
			c = &http.Client{Transport: &http.Transport{}}
		}
		defer c.CloseIdleConnections()
		send := func(method, path, body string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "token "+s.Token)
			res, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		}
		send("PUT", "/api/contents/a.txt", `{"type": "file", "format": "text", "content": "x"}`)
		send("PATCH", "/api/contents/a.txt", `{"path": "b.txt"}`)
		send("POST", "/api/contents/", `{"copy_from": "b.txt"}`)
		send("DELETE", "/api/contents/b.txt", "")
		var heard []string
		for len(heard) < 5 {
			if err := ws.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			_, b, err := ws.ReadMessage()
			if err != nil {
				t.Fatalf("after %q: %v", heard, err)
			}
			var e struct {
				Schema string `json:"schema_id"`
				Action string `json:"action"`
				Path   string `json:"path"`
				Source string `json:"source_path"`
			}
			if err := json.Unmarshal(b, &e); err != nil {
				t.Fatal(err)
			}
			if e.Schema == fake.ContentsEvent && e.Action != "get" {
				heard = append(heard, e.Action+" "+e.Source+">"+e.Path)
			}
		}
		if got, want := strings.Join(heard, ", "), "save >a.txt, rename a.txt>b.txt, save >b-Copy1.txt, copy b.txt>/b-Copy1.txt, delete >b.txt"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
	})
}
