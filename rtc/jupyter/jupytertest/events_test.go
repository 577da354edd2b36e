package jupytertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake"
)

// The fake emits the real server's events about files.
func TestSameEvents(t *testing.T) {
	var got string
	jupytertest.Bubble(t, func(t *testing.T) { got = events(t, jupytertest.Start(t)) })
	asRecorded(t, "testdata/events.txt", got, func() string { return events(t, jupytertest.Start(t)) })
}

// events changes files, and returns the events of each change.
func events(t *testing.T, s *jupytertest.Server) string {
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
	var heard strings.Builder
	for _, a := range []struct {
		method, path, body string
		events             int
	}{
		{"PUT", "/api/contents/a.txt", `{"type": "file", "format": "text", "content": "x"}`, 1},
		{"PATCH", "/api/contents/a.txt", `{"path": "b.txt"}`, 1},
		{"POST", "/api/contents/", `{"copy_from": "b.txt"}`, 2},
		{"DELETE", "/api/contents/b.txt", "", 1},
	} {
		req, err := http.NewRequestWithContext(t.Context(), a.method, s.URL+a.path, strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+s.Token)
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		fmt.Fprintf(&heard, "%s %s %s\n", a.method, a.path, a.body)
		for n := 0; n < a.events; {
			if err := ws.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			_, b, err := ws.ReadMessage()
			if err != nil {
				t.Fatalf("after %s: %v", heard.String(), err)
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
				fmt.Fprintf(&heard, "  %s %q of %q\n", e.Action, e.Path, e.Source)
				n++
			}
		}
	}
	return heard.String()
}
