package jupyter

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub/hubtest"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func onHub(t *testing.T) (*hubtest.Hub, func(token string) *Server) {
	t.Helper()
	h := hubtest.NewOn(jupytertest.Listen(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/api/contents") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message": "you may not read this folder"}`))
			return
		}
		_, _ = w.Write([]byte(`{"started": "2026-11-01T00:00:00Z"}`))
	}))
	t.Cleanup(h.Close)
	h.Allow("full", "ann", "access:servers!user=ann", "read:servers!user=ann", "start:servers!user=ann")
	h.Allow("access", "ann", "access:servers!user=ann")
	h.Allow("none", "ann")
	h.Allow("bob", "bob", "access:servers!user=bob")
	return h, func(token string) *Server {
		s, err := New(Options{URL: h.URL(), Token: token, Timeout: 10 * time.Second, HTTPClient: &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.CloseIdleConnections)
		return s
	}
}

// A hub's answer for a server is ambiguous, so the client requests the reason from the hub.
func TestHubExplains(t *testing.T) {
	h, server := onHub(t)
	for _, c := range []struct {
		token, state string
		code         faults.Code
		kind         error
		says         string
	}{
		{"full", "", faults.HubServerStopped, ErrUnreachable, `"start_server": true`},
		{"access", "", faults.HubCannotStart, ErrUnreachable, "lacks the scope start:servers!user=ann"},
		{"full", "spawn", faults.HubStarting, ErrUnreachable, "is starting the server of ann"},
		{"none", "", faults.HubScope, ErrUnauthorized, "it is ann's, and lacks the scope access:servers!user=ann"},
		{"none", "ready", faults.HubScope, ErrUnauthorized, "lacks the scope access:servers!user=ann"},
		{"bob", "", faults.HubScope, ErrUnauthorized, "it is bob's, and lacks the scope access:servers!server=ann/"},
		{"bob", "ready", faults.HubScope, ErrUnauthorized, "lacks the scope access:servers!server=ann/"},
		{"gone", "", faults.HubUnknownToken, ErrUnauthorized, h.Hub() + "/token"},
		{"gone", "ready", faults.HubUnknownToken, ErrUnauthorized, "does not know the token"},
	} {
		h.Set(c.state, c.state)
		s := server(c.token)
		_, status := s.Health.Status(t.Context())
		_, post := s.Kernels.Start(t.Context(), "python3", Path{})
		_, dial := s.DialEvents(t.Context())
		for what, err := range map[string]error{"GET": status, "POST": post, "websocket": dial} {
			f, _ := faults.Of(err)
			test.Eq(t, c.code, f.Code, test.Sprint(what))
			test.ErrorIs(t, err, c.kind, test.Sprint(what))
			test.StrContains(t, err.Error(), c.says, test.Sprint(what))
			test.StrNotContains(t, err.Error(), "HTTP", test.Sprint(what))
		}
	}
	h.Set("ready", "")
	s := server("full")
	_, before := h.Counts()
	_, err := s.Contents.Get(t.Context(), Path{}, ContentsOptions{})
	must.Error(t, err)
	test.StrContains(t, err.Error(), "may not read this folder")
	if _, after := h.Counts(); after != before {
		t.Error("the hub was asked about what the server itself refuses")
	}
}

// Rooms and kernels retry often.
func TestHubIsAskedSparingly(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		h, server := onHub(t)
		s := server("full")
		for range 50 {
			if _, err := s.Health.Status(t.Context()); err == nil {
				t.Fatal("it answers")
			}
		}
		if _, asked := h.Counts(); asked > 6 {
			t.Error(asked, "requests for 50 refusals")
		}
	})
}

func TestStartOnHub(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		h, server := onHub(t)
		s := server("full")
		var told []string
		tell := func(_ float64, message string) { told = append(told, message) }
		if err := s.Hub.Start(t.Context(), tell); err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 {
			t.Error("nothing was told")
		}
		if err := s.Hub.Start(t.Context(), tell); err != nil { // it runs
			t.Fatal(err)
		}
		if starts, _ := h.Counts(); starts != 1 {
			t.Error(starts, "starts")
		}
		h.Set("", "")
		err := server("access").Hub.Start(t.Context(), tell)
		if f, _ := faults.Of(err); f.Code != faults.HubCannotStart {
			t.Error(err)
		}
		err = server("bob").Hub.Start(t.Context(), tell)
		if f, _ := faults.Of(err); f.Code != faults.HubScope {
			t.Error(err)
		}
		h.Set("spawn", "spawn")
		ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer stop()
		err = s.Hub.Start(ctx, tell)
		if f, _ := faults.Of(err); f.Code != faults.HubStarting {
			t.Error(err)
		}
		h.Set("", "")
		h.Fail()
		err = s.Hub.Start(t.Context(), tell)
		must.Error(t, err)
		test.StrContains(t, err.Error(), "no room")
		test.StrContains(t, err.Error(), "/hub/spawn/ann")
	})
}
