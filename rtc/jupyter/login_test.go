package jupyter_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

const password = "two words & more"

// knocking returns a client of a server with a password, under a prefix.
func knocking(t *testing.T, opt jupyter.Options) (*jupytertest.Server, *jupyter.Server) {
	t.Helper()
	js := jupytertest.Start(t, jupytertest.WithPassword(password), jupytertest.WithBaseURL("/team/lab/"))
	opt.URL, opt.HTTPClient = js.URL, js.HTTP()
	s, err := jupyter.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return js, s
}

// With the password, all kinds of requests are accepted, websockets too, and the server treats all of them as one
// user.
func TestPasswordLetsIn(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		js, s := knocking(t, jupyter.Options{Password: password})
		ws, err := s.DialEvents(t.Context()) // the very first request
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if _, err := s.Health.Status(t.Context()); err != nil {
			t.Error(err)
		}
		path := jupyter.MustPath(js.Notebook(t, "1"))
		joined, err := s.Rooms.Session(t.Context(), path, "json", "notebook")
		if err != nil {
			t.Fatal(err)
		}
		room, err := s.Rooms.Dial(t.Context(), joined.RoomID(), joined.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		room.Close()
		if _, err := s.Health.CheckTabs(t.Context()); err != nil { // a page that redirects unknown users to the login
			t.Error(err)
		}
		first, err := s.Username(t.Context())
		second, again := s.Username(t.Context())
		must.NoError(t, err)
		must.NoError(t, again)
		test.NotEq(t, "", first)
		test.Eq(t, second, first)
		if text := s.Redact("it was " + password); strings.Contains(text, password) {
			t.Error(text)
		}
	})
}

// When the login has expired, concurrent requests and handshakes log in again once, and are repeated.
func TestLoginExpires(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		js, s := knocking(t, jupyter.Options{Password: password})
		for range 2 {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if _, err := s.Health.Status(t.Context()); err != nil {
						t.Error(err)
					}
				})
				all.Go(func() {
					ws, err := s.DialEvents(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					ws.Close()
				})
			}
			all.Wait()
			if n := js.Fake.Logins.Forget(); n != 1 {
				t.Errorf("%d logins", n)
			}
			time.Sleep(time.Hour)
		}
	})
}

// A wrong password is reported as such, by requests and handshakes, and is not sent more often than once a second; if
// a token is given as well, only the token is sent.
func TestWrongPassword(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		js, s := knocking(t, jupyter.Options{Password: "no"})
		for range 5 {
			_, asked := s.Health.Status(t.Context())
			_, dialed := s.DialEvents(t.Context())
			for _, err := range []error{asked, dialed} {
				f, _ := faults.Of(err)
				test.Eq(t, faults.WrongPassword, f.Code)
				test.ErrorIs(t, err, jupyter.ErrUnauthorized)
			}
			time.Sleep(400 * time.Millisecond)
		}
		if n := js.Fake.Logins.Forget(); n > 2 {
			t.Errorf("sent %d times in two seconds", n)
		}
	})
	jupytertest.Bubble(t, func(t *testing.T) {
		js, s := knocking(t, jupyter.Options{Password: password, Token: "no"})
		_, err := s.Health.Status(t.Context())
		test.ErrorIs(t, err, jupyter.ErrUnauthorized)
		test.Eq(t, 0, js.Fake.Logins.Forget())
	})
}

// A page in the server's place is reported with its title, and a login elsewhere with its host; a hub's page is
// recognised as the hub's.
func TestPageInstead(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header map[string]string
		page   string
		code   faults.Code
		says   string
	}{
		"some page":       {200, nil, "<title>\n Hotel &lt;Adler&gt; </title>", faults.NotJupyter, `"Hotel <Adler>"`},
		"a login page":    {200, nil, `<TITLE>Sign in</TITLE><input id=a type=password>`, faults.OtherPage, `"Sign in", which asks for a password`},
		"a nameless one":  {403, nil, `<input type="password">`, faults.OtherPage, "a page without a title, which asks"},
		"refused":         {401, nil, "<title>401 Authorization Required</title>", faults.OtherPage, "401 Authorization Required"},
		"forbidden":       {403, nil, "<title>403 Forbidden</title>", faults.OtherPage, "403 Forbidden"},
		"a hub's":         {403, map[string]string{"X-JupyterHub-Version": "5"}, "<title>Ours</title>", faults.HubStopped, "JupyterHub"},
		"a hub's, too":    {403, nil, "<title>JupyterHub</title>", faults.HubStopped, "JupyterHub"},
		"another failure": {500, nil, "<title>Oh</title>", "", "500"},
		"a login":         {302, map[string]string{"Location": "https://sso.example.org/realms/a/protocol/openid-connect/auth?state=secret"}, "", faults.OtherPage, "the login at https://sso.example.org"},
		"a hub's login":   {302, map[string]string{"Location": "https://hub.example.org/hub/api/oauth2/authorize"}, "", faults.WrongToken, "asks for a login"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				address := jupytertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html; charset=UTF-8")
					for k, v := range c.header {
						w.Header().Set(k, v)
					}
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.page)
				}))
				s, err := jupyter.New(jupyter.Options{URL: address, Token: "t", HTTPClient: &http.Client{Transport: &http.Transport{DialContext: jupytertest.Dial(t)}}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.CloseIdleConnections()
				_, err = s.Health.Status(t.Context())
				f, _ := faults.Of(err)
				test.Eq(t, c.code, f.Code)
				test.StrContains(t, err.Error(), c.says)
				test.StrNotContains(t, err.Error(), "secret")
			})
		})
	}
}
