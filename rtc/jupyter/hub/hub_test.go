package hub_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/hub"
	"github.com/nbduet/nbduet/rtc/jupyter/hub/hubtest"
)

func TestPlaceOf(t *testing.T) {
	for address, want := range map[string]hub.Place{
		"https://hub.example.org/user/ann":               {Hub: "https://hub.example.org/hub", User: "ann"},
		"http://127.0.0.1:8000/team/lab/user/ann%40x/":   {Hub: "http://127.0.0.1:8000/team/lab/hub", User: "ann@x"},
		"https://hub.example.org/user/ann/gpu":           {Hub: "https://hub.example.org/hub", User: "ann", Server: "gpu"},
		"https://hub.example.org/user/user/user":         {Hub: "https://hub.example.org/hub", User: "user", Server: "user"},
		"https://hub.example.org/user/user":              {Hub: "https://hub.example.org/hub", User: "user"},
		"https://hub.example.org/":                       {},
		"https://hub.example.org/user":                   {},
		"https://hub.example.org/services/user/ann/gpu/": {},
		"https://hub.example.org/user/ann/gpu/further":   {},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(address, "/services/") { // a place, but not of an existing hub
			continue
		}
		got, ok := hub.PlaceOf(u)
		test.EqOp(t, want, got, test.Sprint(address))
		test.Eq(t, want != hub.Place{}, ok, test.Sprint(address))
	}
	p := hub.Place{Hub: "https://h/hub", User: "a/b", Server: "x y"}
	test.Eq(t, "https://h/hub/spawn/a%2Fb/x%20y", p.Spawn())
	test.Eq(t, "https://h/hub/token", p.Tokens())
}

func TestMay(t *testing.T) {
	ann := hub.Place{User: "ann"}
	gpu := hub.Place{User: "ann", Server: "gpu"}
	five := (hub.Holder{Name: "ann", Scopes: []string{"servers!user=ann"}})
	test.True(t, five.May(hub.Start, ann), test.Sprint("on JupyterHub 5 who may manage a server may start it, and no more"))
	test.False(t, five.May(hub.Access, ann), test.Sprint("on JupyterHub 5 who may manage a server may start it, and no more"))
	for _, c := range []struct {
		scope string
		p     hub.Place
		want  bool
	}{
		{"access:servers", ann, true},
		{"access:servers!user=ann", ann, true},
		{"access:servers!user=ann", gpu, true},
		{"access:servers!user=bob", ann, false},
		{"access:servers!server=ann/", ann, true},
		{"access:servers!server=ann/", gpu, false},
		{"access:servers!server=ann/gpu", gpu, true},
		{"access:servers!group=g", ann, true},
		{"read:servers", ann, false},
		{"access:serversx!user=ann", ann, false},
	} {
		if got := (hub.Holder{Name: "bob", Scopes: []string{c.scope}}).May(hub.Access, c.p); got != c.want {
			t.Errorf("%s for %s: %t", c.scope, c.p, got)
		}
	}
}

const all = "access:servers!user=ann read:servers!user=ann start:servers!user=ann"

func client(t *testing.T) (*hubtest.Hub, hub.Client, hub.Place) {
	h := hubtest.New(http.NotFoundHandler())
	t.Cleanup(h.Close)
	h.Allow("full", "ann", strings.Fields(all)...)
	h.Allow("access", "ann", "access:servers!user=ann")
	h.Allow("five", "ann", "access:servers!user=ann", "servers!user=ann", "read:servers!user=ann", "delete:servers!user=ann")
	h.Allow("none", "ann")
	h.Allow("bob", "bob", "access:servers!user=bob")
	u, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := hub.PlaceOf(u)
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return h, hub.Client{HTTP: c, Token: "full"}, p
}

func TestWhy(t *testing.T) {
	h, c, p := client(t)
	for _, one := range []struct {
		token, state, next string
		want               hub.Reason
		canStart           bool
	}{
		{"full", "", "", hub.Stopped, true},
		{"access", "", "", hub.Stopped, false},
		{"five", "", "", hub.Stopped, true}, // JupyterHub 5 has no separate scope for the start
		{"full", "spawn", "spawn", hub.Starting, true},
		{"full", "stop", "stop", hub.Stopped, true},
		{"full", "ready", "", hub.Unclear, true},
		{"none", "", "", hub.NoScope, false},
		{"bob", "", "", hub.NoScope, false},
		{"bob", "ready", "", hub.NoScope, false},
		{"unknown", "ready", "", hub.UnknownToken, false},
	} {
		h.Set(one.state, one.next)
		c.Token = one.token
		got := c.Why(t.Context(), p, one.state != "ready" || one.token == "full")
		test.Eq(t, one.want, got.Reason)
		test.Eq(t, one.canStart, got.CanStart)
	}
}

func TestStartServer(t *testing.T) {
	h, c, p := client(t)
	var told []string
	tell := func(_ float64, message string) { told = append(told, message) }
	if err := c.StartServer(t.Context(), p, tell); err != nil {
		t.Fatal(err)
	}
	if strings.Join(told, ", ") != "Server requested, Spawning server..." {
		t.Error(told)
	}
	h.Set("stop", "") // it has to end first
	if err := c.StartServer(t.Context(), p, tell); err != nil {
		t.Fatal(err)
	}
	if starts, _ := h.Counts(); starts != 2 {
		t.Error(starts, "starts")
	}
	h.Set("ready", "") // it runs already
	if err := c.StartServer(t.Context(), p, tell); err != nil {
		t.Fatal(err)
	}
	h.Set("", "")
	c.Token = "access"
	if err := c.StartServer(t.Context(), p, tell); !errors.Is(err, hub.ErrNoScope) {
		t.Error(err)
	}
	c.Token = "full"
	ctx, stop := context.WithCancel(t.Context())
	h.Set("spawn", "spawn")
	told = nil
	err := c.StartServer(ctx, p, func(float64, string) { stop() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	h.Set("", "")
	h.Fail()
	err = c.StartServer(t.Context(), p, tell)
	must.Error(t, err)
	test.StrContains(t, err.Error(), "no room")
}
