package hubservice

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/hub/hubtest"
	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/serve/hubservice/login"
)

const full = "access:servers!user=%s access:services!service=nbduet"

// A rig is a service whose tenants answer with their user.
type rig struct {
	t       *testing.T
	hub     *hubtest.Hub
	service *Service
	open    atomic.Int32    // tenants
	busy    atomic.Bool     // the tenants run code
	held    chan struct{}   // closed to end /hold
	given   func() string   // the token of the last tenant
	ended   <-chan struct{} // closed when Run has ended
	stop    context.CancelFunc
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, hub: hubtest.New(http.NotFoundHandler()), held: make(chan struct{})}
	t.Cleanup(r.hub.Close)
	for _, user := range []string{"ann", "bob"} {
		r.hub.Allow(user+"s", user, strings.Fields(strings.ReplaceAll(full, "%s", user))...)
	}
	r.hub.Allow("ann2", "ann", "access:servers", "access:services")
	r.hub.Allow("noserver", "ann", "access:services")
	r.hub.Allow("noservice", "ann", "access:servers!user=ann")
	guard, err := serve.NewGuard([]string{"hub.example.org"}, []string{"https://app.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	r.service, err = New(Config{
		API: r.hub.Hub() + "/api", Prefix: "/services/nbduet/", Access: []string{"access:services", "access:services!service=nbduet"}, Client: client, Guard: guard,
		Login: login.Config{URL: "https://hub.example.org/services/nbduet", Secret: "x"}, MostUsers: 2,
		Make: func(_ context.Context, user string, token func() string) (Tenant, error) {
			r.open.Add(1)
			r.given = token
			return Tenant{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					if req.URL.Path == "/hold" {
						w.WriteHeader(http.StatusOK)
						_ = http.NewResponseController(w).Flush()
						<-req.Context().Done()
						return
					}
					_, _ = io.WriteString(w, user+" "+req.URL.Path+" "+req.Header.Get("X-Forwarded-Prefix"))
				}),
				Run:  func(ctx context.Context) { <-ctx.Done() },
				Runs: r.busy.Load,
				Close: func(context.Context) error {
					r.open.Add(-1)
					return nil
				},
			}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.service.Run(ctx)
	}()
	r.ended, r.stop = ended, stop
	t.Cleanup(func() {
		stop()
		<-ended
		if n := r.open.Load(); n != 0 {
			t.Error(n, "tenants are left")
		}
	})
	return r
}

func (r *rig) get(path, token string, header ...string) (status int, says string, h http.Header) {
	r.t.Helper()
	req := httptest.NewRequest(http.MethodGet, "https://hub.example.org"+path, nil)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.service.ServeHTTP(w, req)
	return w.Code, w.Body.String(), w.Header()
}

func TestEachUserHasTheirOwn(t *testing.T) {
	r := newRig(t)
	for token, user := range map[string]string{"anns": "ann", "ann2": "ann", "bobs": "bob"} {
		status, says, _ := r.get("/services/nbduet/mcp", token, "X-Forwarded-Prefix", "/evil")
		test.Eq(t, http.StatusOK, status, test.Sprint(token))
		test.Eq(t, user+" /mcp /services/nbduet", says, test.Sprint(token))
	}
	n := r.open.Load()
	test.Eq(t, 2, n)
	test.Eq(t, 2, r.service.Users())
	r.hub.Allow("cids", "cid", "access:servers!user=cid", "access:services")
	if status, says, _ := r.get("/services/nbduet/mcp", "cids"); status != http.StatusServiceUnavailable {
		t.Error(status, says)
	}
}

func TestWhoIsLetIn(t *testing.T) {
	r := newRig(t)
	for token, want := range map[string]string{
		"":          "a token is needed",
		"unknown":   "does not know the token",
		"noserver":  "lacks the scope access:servers!user=ann",
		"noservice": "lacks the scope access:services!service=nbduet",
	} {
		status, says, h := r.get("/services/nbduet/mcp", token)
		test.Eq(t, http.StatusUnauthorized, status, test.Sprint(token))
		test.StrContains(t, says, want, test.Sprint(token))
		test.StrContains(t, h.Get("WWW-Authenticate"), `resource_metadata="https://hub.example.org/services/nbduet/.well-known/oauth-protected-resource/mcp"`, test.Sprint(token))
	}
	if n := r.open.Load(); n != 0 {
		t.Error("somebody who is not let in has a tenant")
	}
	for path, want := range map[string]int{
		"/healthz": 200, "/services/nbduet/healthz": 200, "/services/nbduet/.well-known/openid-configuration": 200, "/services/nbduetx/mcp": 404, "/user/ann/mcp": 404, "/services/nbduet": 401,
	} {
		if status, says, _ := r.get(path, ""); status != want {
			t.Error(path, status, says)
		}
	}
	if status, says, _ := r.get("/services/nbduet/mcp", "anns", "Origin", "https://evil.example.org"); status != http.StatusForbidden {
		t.Error(status, says)
	}
	if status, says, _ := r.get("/services/nbduet/mcp", "anns", "Origin", "https://app.example.org"); status != http.StatusOK {
		t.Error(status, says)
	}
}

// age makes the hub's answers about all tokens, and its last failure to answer, older.
func (r *rig) age(by time.Duration) {
	for _, one := range r.service.bearers.list() {
		one.mu.Lock()
		one.checked, one.used = one.checked.Add(-by), one.used.Add(-by)
		if !one.failed.IsZero() {
			one.failed = one.failed.Add(-by)
		}
		one.mu.Unlock()
	}
}

func (r *rig) sweep() {
	r.service.bearers.sweep(r.t.Context(), r.service.cfg.Idle)
	r.service.tenants.sweep(r.service.cfg.Idle, func(user string) bool {
		_, ok := r.service.bearers.of(user)
		return ok
	})
	r.service.tenants.ending.Wait()
}

// A revoked token ends the requests made with it, and the tenant if it was the last token.
func TestRevoked(t *testing.T) {
	r := newRig(t)
	ended := make(chan struct{})
	front := httptest.NewServer(r.service)
	defer front.Close()
	begun := make(chan struct{})
	go func() {
		defer close(ended)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front.URL+"/services/nbduet/hold", nil)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer anns")
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Error(err)
			close(begun)
			return
		}
		defer resp.Body.Close()
		close(begun)
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	<-begun
	r.get("/services/nbduet/mcp", "ann2")
	r.get("/services/nbduet/mcp", "bobs")
	_, before := r.hub.Counts()
	for range 20 {
		r.get("/services/nbduet/mcp", "anns")
	}
	if _, after := r.hub.Counts(); after != before {
		t.Error("the hub is asked for each request")
	}
	r.hub.Revoke("anns")
	r.age(fresh)
	r.sweep()
	<-ended // the stream
	if status, says, _ := r.get("/services/nbduet/mcp", "anns"); status != http.StatusUnauthorized {
		t.Error(status, says)
	}
	status, says, _ := r.get("/services/nbduet/mcp", "ann2")
	test.Eq(t, http.StatusOK, status, test.Sprint(says))
	test.Eq(t, 2, r.open.Load(), test.Sprint(says))
	r.hub.Revoke("ann2")
	r.age(fresh)
	r.sweep()
	if r.open.Load() != 1 {
		t.Error("ann is gone, and has a tenant")
	}
	if status, says, _ := r.get("/services/nbduet/mcp", "bobs"); status != http.StatusOK {
		t.Error(status, says)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestHubAway(t *testing.T) {
	r := newRig(t)
	r.get("/services/nbduet/mcp", "anns")
	r.hub.Close()
	r.age(fresh)
	if status, says, _ := r.get("/services/nbduet/mcp", "anns"); status != http.StatusOK {
		t.Error("what the hub has said counts for some minutes:", status, says)
	}
	status, says, h := r.get("/services/nbduet/mcp", "bobs")
	test.Eq(t, http.StatusServiceUnavailable, status, test.Sprint(says))
	test.NotEq(t, "", h.Get("Retry-After"), test.Sprint(says))
	r.age(stale)
	if status, says, _ := r.get("/services/nbduet/mcp", "anns"); status != http.StatusServiceUnavailable {
		t.Error("it counts for ever:", status, says)
	}
}

func TestSilentUserEnds(t *testing.T) {
	r := newRig(t)
	r.get("/services/nbduet/mcp", "anns")
	if got := r.given(); got != "anns" {
		t.Errorf("the tenant's token is %q", got)
	}
	r.get("/services/nbduet/mcp", "ann2")
	if got := r.given(); got != "ann2" {
		t.Errorf("the tenant's token is %q", got)
	}
	r.service.cfg.Idle = time.Nanosecond
	r.busy.Store(true)
	r.service.tenants.sweep(time.Nanosecond, func(string) bool { return true })
	r.service.tenants.ending.Wait()
	if r.open.Load() != 1 {
		t.Error("a tenant whose code runs has ended")
	}
	r.busy.Store(false)
	r.sweep()
	if r.open.Load() != 0 {
		t.Error("a silent tenant stays")
	}
}

func TestServerOf(t *testing.T) {
	for user, want := range map[string]string{
		"ann": "/user/ann/", "ann@x.org": "/user/ann@x.org/", "o'neil+x y": "/user/o%27neil%2Bx%20y/", "zoë": "/user/zo%C3%AB/", "a~b-c_d.e": "/user/a~b-c_d.e/", "../bob": "/user/..%2Fbob/",
	} {
		if got := ServerOf("http://hub/pre/", user); got != "http://hub/pre"+want {
			t.Errorf("%s: %s", user, got)
		}
	}
}
