package jupyter

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
	"github.com/nbduet/nbduet/rtc/jupyter/hub/hubtest"
)

// longAgo makes the last sign that a server lets the program in as old as it may be.
func longAgo(s *Server) {
	s.absence.mu.Lock()
	defer s.absence.mu.Unlock()
	s.absence.letIn = time.Now().Add(-letInFor)
	s.absence.doorman.asked = time.Time{}
	s.hub = hub.Verdicts{} // the hub's verdict is valid for a second
}

// letsIn checks that many concurrent calls get the same result, with the given number of requests to the server for
// all of them.
func letsIn(t *testing.T, s *Server, asked *atomic.Int64, code faults.Code, times int64) {
	t.Helper()
	before := asked.Load()
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			err := s.Hub.LetsIn(t.Context())
			if f, _ := faults.Of(err); f.Code != code || (err == nil) != (code == "") {
				t.Errorf("%v (%q), want %q", err, f.Code, code)
			}
		})
	}
	calls.Wait()
	if n := asked.Load() - before; n != times {
		t.Errorf("asked %d times, want %d", n, times)
	}
}

// Open connections survive when a token is revoked, so calls have to ask.
func TestLetsIn(t *testing.T) {
	h, server := onHub(t)
	var asked atomic.Int64
	h.Seen = func(r *http.Request) {
		if r.URL.Path == hubtest.Prefix+"/user/ann/api/status" {
			asked.Add(1)
		}
	}
	h.Set("ready", "")
	s := server("full")
	letsIn(t, s, &asked, "", 1) // nothing is known yet
	letsIn(t, s, &asked, "", 0)
	h.Revoke("full")
	letsIn(t, s, &asked, "", 0) // no answer has shown it
	longAgo(s)
	if _, err := s.Health.Version(t.Context()); err != nil { // nor does this show the opposite
		t.Fatal(err)
	}
	if err := s.Hub.LetsIn(t.Context()); err == nil {
		t.Error("a revoked token is let in")
	}
	h.Allow("full", "ann", "access:servers!user=ann")
	asked.Store(0)
	err := s.Hub.LetsIn(t.Context())
	must.NoError(t, err, must.Sprint("who is refused asks again at once"))
	test.Eq(t, 1, asked.Load(), test.Sprint("who is refused asks again at once"))
	letsIn(t, s, &asked, "", 0)
	h.Allow("full", "bob", "access:servers!user=bob")
	longAgo(s)
	if _, err := s.Health.Status(t.Context()); err == nil {
		t.Error("another's token is let in")
	}
	if f, _ := faults.Of(s.Hub.LetsIn(t.Context())); f.Code != faults.HubScope {
		t.Error(f)
	}
}

// A server that has just been stopped is known to be away, so no call waits for it.
func TestStoppedOnHub(t *testing.T) {
	h, server := onHub(t)
	h.Set("ready", "")
	s := server("full")
	if err := s.Hub.LetsIn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, why := s.Hub.Stopped(); why != nil {
		t.Error(why)
	}
	h.Set("", "")
	longAgo(s)
	if err := s.Hub.LetsIn(t.Context()); err != nil {
		t.Error("it refuses nobody:", err)
	}
	if _, away := s.Health.Away(); !away {
		t.Error("it is not known to be away")
	}
	soon, why := s.Hub.Stopped()
	f, _ := faults.Of(why)
	test.Eq(t, faults.HubServerStopped, f.Code, test.Sprint(why))
	test.False(t, soon, test.Sprint(why))
	h.Set("spawn", "spawn")
	longAgo(s)
	if _, err := s.Health.Status(t.Context()); err == nil {
		t.Fatal("it answers")
	}
	soon, why = s.Hub.Stopped()
	must.Error(t, why)
	test.True(t, soon)
	h.Set("ready", "")
	longAgo(s)
	h.Revoke("full") // and its next refusal says so
	if f, _ := faults.Of(s.Hub.LetsIn(t.Context())); f.Code != faults.HubUnknownToken {
		t.Error(f)
	}
	if _, why := s.Hub.Stopped(); why != nil {
		t.Error(why)
	}
}

// LetsIn sends no request to a server without a hub, and only one to a server whose address just looks like a hub's.
func TestLetsInWithoutHub(t *testing.T) {
	var asked atomic.Int64
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer plain.Close()
	for path, times := range map[string]int64{"": 0, "/user/ann": 1} {
		s, err := New(Options{URL: plain.URL + path, Token: "t"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.CloseIdleConnections()
		letsIn(t, s, &asked, "", times)
		longAgo(s)
		letsIn(t, s, &asked, "", 0)
	}
}
