package jupyter

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// lan is a network of servers: their tokens by address; an address without a server refuses connections.
type lan map[string]string

func (l lan) RoundTrip(r *http.Request) (*http.Response, error) {
	token, up := l[r.URL.Scheme+"://"+r.URL.Host]
	if !up {
		return nil, errors.New("connection refused")
	}
	status, body := 200, `{"connections":0}`
	if r.Header.Get("Authorization") != "token "+token {
		status, body = 403, `{"message":"Forbidden"}`
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (l lan) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("connection refused")
}

// finding returns a server that is found by search.
func finding(t *testing.T, net lan, address string, search func(context.Context) (Found, error)) *Server {
	t.Helper()
	s, err := New(Options{URL: address, Find: search, Timeout: 5 * time.Second, HTTPClient: &http.Client{Transport: net}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Without a server each request returns the error of the search, which many requests share; the first request after a
// second searches again, and finds the server. Nothing searches in between.
func TestFindLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := lan{"http://one:1": "t1"}
		var searches atomic.Int32
		var there atomic.Bool
		s := finding(t, net, "", func(context.Context) (Found, error) {
			searches.Add(1)
			time.Sleep(100 * time.Millisecond) // other requests come meanwhile
			if !there.Load() {
				return Found{}, errors.New("start one")
			}
			return Found{URL: "http://one:1/lab", Token: "t1"}, nil
		})
		test.Eq(t, "", s.BaseURL())
		test.False(t, s.HasToken())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := s.Health.Status(t.Context()); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "start one") {
					t.Errorf("without a server: %v", err)
				}
				if _, err := s.Rooms.Dial(t.Context(), "json:notebook:1", ""); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "start one") {
					t.Errorf("a room without a server: %v", err)
				}
			})
		}
		all.Wait()
		time.Sleep(time.Hour)
		if n := searches.Load(); n != 1 {
			t.Errorf("%d searches, want 1", n)
		}
		there.Store(true)
		for range 3 {
			_, err := s.Health.Status(t.Context())
			must.NoError(t, err, must.Sprint("with a server"))
			test.Eq(t, "http://one:1", s.BaseURL(), test.Sprint("with a server"))
			test.True(t, s.HasToken(), test.Sprint("with a server"))
		}
		if n := searches.Load(); n != 2 {
			t.Errorf("%d searches, want 2", n)
		}
	})
}

// A search ends with the request's context, without a cost for the next request, or with the server's timeout.
func TestFindBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := finding(t, lan{}, "", func(ctx context.Context) (Found, error) {
			<-ctx.Done()
			return Found{}, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		err := s.Find(ctx)
		test.ErrorIs(t, err, context.Canceled, test.Sprint("cancelled"))
		test.False(t, errors.Is(err, ErrUnreachable), test.Sprint("cancelled"))
		began := time.Now()
		err = s.Find(t.Context())
		test.ErrorIs(t, err, ErrUnreachable)
		test.StrContains(t, err.Error(), "5s")
		test.Eq(t, 5*time.Second, time.Since(began))
	})
}

// A restarted server has another token: it is found, and the old one is still redacted. Another server does not
// replace one that has been used.
func TestFindAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := lan{"http://one:1": "first", "http://two:2": "other"}
		at := Found{URL: "http://one:1", Token: "first"}
		s := finding(t, net, "", func(context.Context) (Found, error) { return at, nil })
		ask := func() error {
			time.Sleep(time.Minute)
			_, err := s.Health.Status(t.Context())
			return err
		}
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		net["http://one:1"], at.Token = "second", "second"
		if err := ask(); err != nil {
			t.Errorf("with another token: %v", err)
		}
		if text := s.Redact("first, second, third"); text != "[token], [token], third" {
			t.Errorf("redacted: %s", text)
		}
		delete(net, "http://one:1")
		at = Found{URL: "http://two:2", Token: "other"}
		for range 2 {
			err := ask()
			test.ErrorIs(t, err, ErrUnreachable, test.Sprint("gone"))
			test.Eq(t, "http://one:1", s.BaseURL(), test.Sprint("gone"))
		}
	})
}

// A named server that is not running yet gets its token from the search once it runs.
func TestFindToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := lan{}
		at := Found{URL: "http://one:1"}
		s := finding(t, net, "http://one:1/", func(context.Context) (Found, error) { return at, nil })
		_, err := s.Health.Status(t.Context())
		test.ErrorIs(t, err, ErrUnreachable, test.Sprint("not up"))
		test.Eq(t, "http://one:1", s.BaseURL(), test.Sprint("not up"))
		net["http://one:1"], at.Token = "t1", "t1"
		time.Sleep(time.Minute)
		if _, err := s.Health.Status(t.Context()); err != nil {
			t.Errorf("up: %v", err)
		}
	})
}
