package login_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoenig/test"
	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/login"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const formPage = `<form method="post"><input type="hidden" name="_xsrf"/><input type="password" name="password"></form>`

// A server that is not the right one gets no password: a page without the form or its cookie, any redirect, a
// refusal, a closed port.
func TestNoPasswordForOthers(t *testing.T) {
	var sent atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	defer other.Close()
	cookie := func(w http.ResponseWriter) {
		http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: "x", Path: "/"})
	}
	for name, answer := range map[string]http.HandlerFunc{
		"another form": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(formPage)) },
		"another page": func(w http.ResponseWriter, _ *http.Request) { cookie(w); _, _ = w.Write([]byte("<h1>Hello</h1>")) },
		"another host": func(w http.ResponseWriter, r *http.Request) {
			cookie(w)
			http.Redirect(w, r, other.URL+"/login", http.StatusTemporaryRedirect)
		},
		"another path": func(w http.ResponseWriter, r *http.Request) {
			cookie(w)
			http.Redirect(w, r, "/hub/login", http.StatusFound)
		},
		"the method only": func(w http.ResponseWriter, _ *http.Request) {
			cookie(w)
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(formPage))
		},
	} {
		t.Run(name, func(t *testing.T) {
			hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					sent.Add(1)
				}
				answer(w, r)
			}))
			defer hs.Close()
			if err := again(t, hs.URL); !errors.Is(err, login.ErrNone) {
				t.Error(err)
			}
		})
	}
	if n := sent.Load(); n != 0 {
		t.Errorf("%d requests were sent elsewhere, or with the password", n)
	}
}

// A redirect of the form's answer to another host is not followed, and an unexpected answer is reported.
func TestAnswersToTheForm(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	status := 0
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: "x", Path: "/"})
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(formPage))
			return
		}
		if r.URL.Path != "/a/login" || r.PostFormValue("password") != "p&q" || r.PostFormValue("_xsrf") != "x" {
			t.Errorf("%s: %v", r.URL, r.PostForm)
		}
		w.Header().Set("Location", other.URL)
		w.WriteHeader(status)
	}))
	defer hs.Close()
	for code, want := range map[int]error{302: nil, 307: login.StatusError(307), 308: login.StatusError(308), 401: login.ErrWrong, 500: login.StatusError(500)} {
		if status = code; !errors.Is(again(t, hs.URL+"/a"), want) {
			t.Errorf("%d is not %v", code, want)
		}
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("followed %d times", n)
	}
}

// A refusal that arrives after a new login does not remove its cookie.
func TestLateRefusalKeepsTheLogin(t *testing.T) {
	jar, at := login.NewJar(), &url.URL{Scheme: "http", Host: "localhost", Path: "/"}
	jar.SetCookies(at, []*http.Cookie{{Name: "username", Value: "new", Path: "/"}})
	jar.SetCookies(at, []*http.Cookie{{Name: "username", Path: "/", Expires: time.Now().AddDate(-1, 0, 0)}})
	jar.SetCookies(at, []*http.Cookie{{Name: "username", Path: "/", MaxAge: -1}})
	test.Eq(t, "username=new", jar.Cookies(at)[0].String())
	jar.SetCookies(at, []*http.Cookie{{Name: "username", Value: "newer", Path: "/"}})
	test.Eq(t, "username=newer", jar.Cookies(at)[0].String())
}

// A caller that has given up does not wait; the next one logs in.
func TestGivenUp(t *testing.T) {
	hs := httptest.NewServer(http.NotFoundHandler())
	defer hs.Close()
	l, base := made(t, hs.URL)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := l.Again(ended, base, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := l.Again(t.Context(), base, 0); !errors.Is(err, login.ErrNone) {
		t.Error(err)
	}
}

// made returns a login at an address.
func made(t *testing.T, address string) (*login.Login, *url.URL) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return login.New("p&q", client), base
}

func again(t *testing.T, address string) error {
	t.Helper()
	l, base := made(t, address)
	return l.Again(t.Context(), base, 0)
}
