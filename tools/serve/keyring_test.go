package serve

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/serve/issuertest"
)

// New keys of the issuer are read as soon as a token names one, and revoked keys stay valid for a quarter of an hour at
// most.
func TestKeysAreReplaced(t *testing.T) {
	r, i, c := newIssuerRig(t, nil)
	token := func() change { return bearing(i.Token(t, "ada", public, nil)) }
	list := func(a change) answer { t.Helper(); return r.send("GET", "/tools/list", "", a) }
	if i.Reads() != 0 {
		t.Error("the issuer is asked before there is a token")
	}
	old := token()
	for range 3 {
		r.wants(list(old), 200)
	}
	if i.Reads() != 1 {
		t.Errorf("the keys were read %d times, want once", i.Reads())
	}
	i.Rotate(t, "second")
	r.wants(list(token()), 200)
	r.wants(list(old), 401, "signed")
	i.Rotate(t, "") // without a key id
	c.pass(time.Minute)
	r.wants(list(token()), 200)

	withdrawn := token()
	i.Rotate(t, "fourth")
	r.wants(list(withdrawn), 200)
	c.pass(keysFresh)
	r.wants(list(withdrawn), 401, "signed")
	r.wants(list(token()), 200)
}

// If the issuer cannot be reached, its known keys are used, and they are read again later.
func TestIssuerFails(t *testing.T) {
	log := func(r *rig, want string) {
		t.Helper()
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	for name, fail := range map[string]struct {
		answer http.HandlerFunc
		log    string
	}{
		"an error": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not today", http.StatusBadGateway) }, "502"},
		"no JSON":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "decode"},
		"too much": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat(" ", 2*maxAnswer)) }, "too large"},
		"cut off":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		}, "use https"},
		"keys nowhere": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://evil.example/"}`, r.Host)
		}, "use https"},
		"no keys": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://%[1]s/keys","keys":[{"kty":"odd"},5]}`, r.Host)
		}, "no usable signing key"},
		"no keys of that kind": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"issuer":"http://%s","jwks_uri":"http://%[1]s/keys","keys":"none"}`, r.Host)
		}, "read the issuer's keys"},
	} {
		t.Run(name, func(t *testing.T) {
			r, i, c := newIssuerRig(t, nil)
			r.t = t
			ada := bearing(i.Token(t, "ada", public, nil))
			i.Fail(fail.answer)
			for range 3 {
				a := r.send("GET", "/tools/list", "", ada)
				r.wants(a, 503, i.URL, "try again")
				test.NotEq(t, "", a.header.Get("Retry-After"))
				test.Eq(t, "", a.header.Get("WWW-Authenticate"))
			}
			log(r, fail.log)
			r.wants(r.send("GET", "/tools/list", ""), 200) // a static token needs no issuer
			i.Fail(nil)
			c.pass(readEvery)
			r.wants(r.send("GET", "/tools/list", "", ada), 200)
			i.Fail(fail.answer)
			c.pass(keysFresh)
			r.wants(r.send("GET", "/tools/list", "", ada), 200)
			c.pass(keysStale - keysFresh)
			eve := bearing(i.Token(t, "ada", public, map[string]any{"exp": c.now().Add(time.Hour).Unix()}))
			r.wants(r.send("GET", "/tools/list", "", eve), 503)
		})
	}
	t.Run("another name", func(t *testing.T) {
		r, i, _ := newIssuerRig(t, nil)
		r.t = t
		i.Rename("https://other.example.org")
		r.wants(r.send("GET", "/tools/list", "", bearing(i.Token(t, "ada", public, nil))), 503)
		log(r, "other.example.org")
	})
	t.Run("nobody there", func(t *testing.T) {
		r, i, _ := newIssuerRig(t, func(cfg *Config) { cfg.OIDC.Issuer = "http://127.0.0.1:9" })
		r.t = t
		r.wants(r.send("GET", "/tools/list", "", bearing(i.Token(t, "ada", public, nil))), 503, "127.0.0.1:9")
		log(r, "refused")
	})
}

// Invented tokens do not cause more requests to the issuer than the limit allows.
func TestIssuerReadsAreLimited(t *testing.T) {
	r, i, c := newIssuerRig(t, nil)
	good := i.Token(t, "ada", public, nil)
	stranger := issuertest.Start(t)
	for n := range 20 {
		stranger.Rotate(t, fmt.Sprint("key", n))
		made := stranger.Token(t, "eve", public, map[string]any{"iss": i.URL})
		r.wants(r.send("GET", "/tools/list", "", bearing(made)), 401)
		r.wants(r.send("GET", "/tools/list", "", bearing(good)), 200)
	}
	if n := i.Reads(); n != readBurst {
		t.Errorf("the keys were read %d times, want %d", n, readBurst)
	}
	for n := range 60 {
		c.pass(time.Second)
		stranger.Rotate(t, fmt.Sprint("more", n))
		r.wants(r.send("GET", "/tools/list", "", bearing(stranger.Token(t, "eve", public, nil))), 401)
	}
	if n, most := i.Reads(), readBurst+int(time.Minute/readEvery); n != most {
		t.Errorf("the keys were read %d times within a minute, want %d at most", n, most)
	}
	if stranger.Reads() != 0 {
		t.Error("the token's own issuer was asked")
	}
}

// An issuer that does not answer does not delay the end, and all requests that wait for it get the same answer.
func TestIssuerHangs(t *testing.T) {
	r, i, _ := newIssuerRig(t, nil)
	asked, free := make(chan struct{}, 100), make(chan struct{})
	i.Fail(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-free:
		case <-r.Context().Done():
		}
	})
	ada := bearing(i.Token(t, "ada", public, nil))
	answers := make(chan int, 10)
	for range cap(answers) {
		req := r.request(t.Context(), http.MethodGet, "/tools/list", "", ada)
		go func() {
			res, err := r.client.Do(req)
			if err != nil {
				answers <- 0
				return
			}
			defer res.Body.Close()
			answers <- res.StatusCode
		}()
	}
	<-asked
	// Other requests are served meanwhile.
	r.wants(r.send("GET", "/tools/list", ""), 200)
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for range cap(answers) {
		if status := <-answers; status != 503 && status != 0 {
			t.Errorf("status %d", status)
		}
	}
	close(free)
}
