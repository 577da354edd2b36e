package jupyter

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

const (
	pageType = "text/html; charset=UTF-8"
	jsonType = "application/json"
)

// isOf checks that an error is a given fault and contains its sentence; "" means no fault.
func isOf(t *testing.T, what string, err error, code faults.Code) {
	t.Helper()
	f, ok := faults.Of(err)
	test.Eq(t, code, f.Code, test.Sprint(what))
	test.Eq(t, code != "", ok, test.Sprint(what))
	test.False(t, ok && !strings.Contains(err.Error(), f.Error()), test.Sprint(what))
}

// The result of a first check of a server's rooms, and its reported versions.
func TestCheckRooms(t *testing.T) {
	lab := func(config string) string {
		return `<script id="jupyter-config-data" type="application/json">{` + config + `}</script>`
	}
	for _, c := range []struct {
		name, takes, page string
		code              faults.Code
	}{
		{"rooms", "/base/api/collaboration/session/x", lab(`"appVersion": "4.6.6"`), ""},
		{"a two-digit minor", "/base/api/collaboration/session/x", lab(`"appVersion": "4.10.0"`), ""},
		{"no JupyterLab", "/base/api/collaboration/session/x", "", ""},
		{"jupyter-server-documents", "/base/api/fileid/index", lab(`"appVersion": "4.6.6"`), ""},
		{"JupyterLab 4.1", "/base/api/collaboration/session/x", lab(`"appVersion": "4.1.8"`), faults.OldCollaboration},
		{"JupyterLab 3", "/base/api/yjs/roomid/x", lab(`"appVersion": "3.6.1"`), faults.OldCollaboration},
		{"no rooms", "", lab(`"appVersion": "4.6.6"`), faults.NoCollaboration},
		{"tabs apart", "/base/api/collaboration/session/x", lab(`"disableRTC": true, "appVersion": "4.6.6"`), faults.TabsApart},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method != http.MethodGet:
					t.Errorf("it sends %s %s", r.Method, r.URL)
				case r.URL.Path == "/base/api/status":
					answer(200, jsonType, `{}`)(w, r)
				case r.URL.Path == "/base/api":
					answer(200, jsonType, `{"version":"2.21.1"}`)(w, r)
				case r.URL.Path == "/base/lab" && c.page != "":
					answer(200, pageType, c.page)(w, r)
				case r.URL.Path == "/base/lab/extensions/@jupyter/collaboration-extension/package.json" && c.page != "":
					answer(200, jsonType, `{"name":"x","version":"5.0.4"}`)(w, r)
				case r.URL.Path == c.takes:
					answer(405, pageType, "")(w, r)
				default:
					answer(404, pageType, "")(w, r)
				}
			})
			isOf(t, c.name, s.Rooms.Check(t.Context()), c.code)
			v, err := s.Health.Versions(t.Context())
			known := v.Collaboration == "5.0.4" && v.Lab != "" && strings.Contains(c.page, `"`+v.Lab+`"`)
			must.NoError(t, err)
			test.Eq(t, "2.21.1", v.Server)
			test.Eq(t, c.page != "", known)
		})
	}
}

// A correctly configured server has rooms, and reports all its versions, if it knows them.
func TestCheckRoomsOfAServer(t *testing.T) {
	s := jupytertest.Shared(t)
	srv, err := New(Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.CloseIdleConnections()
	isOf(t, "a server", srv.Rooms.Check(t.Context()), "")
	v, err := srv.Health.Versions(t.Context())
	must.NoError(t, err)
	test.NotEq(t, "", v.Server)
}

// A proxy that passes requests but not websockets is distinguished from Jupyter's own answers, which do not change.
func TestWebsocketsEaten(t *testing.T) {
	var handshake, kernel, status int
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Upgrade") != "":
			answer(handshake, pageType, "<h1>Page</h1>")(w, r)
		case r.URL.Path == "/base/api/kernels/k":
			answer(kernel, jsonType, `{"id":"k"}`)(w, r)
		case r.URL.Path == "/base/api/status":
			answer(status, jsonType, `{}`)(w, r)
		case r.URL.Path == "/base/api/collaboration/session/x":
			answer(405, pageType, "")(w, r)
		default:
			answer(404, pageType, "")(w, r)
		}
	})
	for _, c := range []struct {
		handshake, kernel, status int
		room, ofKernel            faults.Code
	}{
		{200, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{400, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{426, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{501, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{502, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{404, 200, 200, faults.WebsocketsEaten, faults.WebsocketsEaten},
		{404, 404, 200, faults.WebsocketsEaten, ""}, // without this kernel
		{502, 502, 502, faults.ProxyWithoutServer, faults.ProxyWithoutServer},
		{403, 200, 200, faults.WrongToken, faults.WrongToken},
		{500, 200, 200, "", ""},
	} {
		handshake, kernel, status = c.handshake, c.kernel, c.status
		_, room := s.Rooms.Dial(t.Context(), "json:notebook:x", "y")
		_, channels := s.Kernels.Dial(t.Context(), "k", "s")
		isOf(t, "room", room, c.room)
		isOf(t, "kernel", channels, c.ofKernel)
		if eaten := errors.Is(room, ErrNoWebsockets); eaten != (c.room == faults.WebsocketsEaten) {
			t.Errorf("%d: %v", c.handshake, room)
		}
		test.Eq(t, c.handshake == 404 && c.kernel == 404, errors.Is(channels, ErrNotFound))
		test.Eq(t, c.handshake == 500, errors.Is(room, ErrNotFound))
	}
}

// A proxy that accepts the upgrade, or its request, and closes the connection is recognised as well. A server that
// ended or restarted meanwhile is not reported like this, nor one whose events websocket works: then only this room
// fails.
func TestWebsocketsCutOff(t *testing.T) {
	const ended, again = "ended", "started again"
	for _, c := range []struct {
		name         string
		taken, heard bool   // the upgrade is accepted; frames on the events' websocket arrive
		meanwhile    string // change of the server
		code         faults.Code
	}{
		{"passed", true, true, "", ""},
		{"taken and cut off", true, false, "", faults.WebsocketsEaten},
		{"cut off", false, false, "", faults.WebsocketsEaten},
		{"taken and ended", true, false, ended, faults.ProxyWithoutServer},
		{"ended", false, false, ended, faults.ProxyWithoutServer},
		{"started again", false, false, again, ""},
		{"taken and started again", true, false, again, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			const started = "2026-11-26T00:00:00Z"
			var tried atomic.Bool
			s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Header.Get("Upgrade") != "" && c.taken:
					ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
					if err != nil {
						t.Error(err)
						return
					}
					tried.Store(true)
					for c.heard {
						if _, _, err := ws.NextReader(); err != nil {
							break
						}
					}
					ws.Close()
				case r.Header.Get("Upgrade") != "":
					tried.Store(strings.HasSuffix(r.URL.Path, "/events/subscribe"))
					panic(http.ErrAbortHandler)
				case !tried.Load():
					answer(200, jsonType, `{"started":"`+started+`"}`)(w, r)
				case c.meanwhile == ended:
					answer(502, pageType, "")(w, r)
				case c.meanwhile == again:
					answer(200, jsonType, `{"started":"2026-11-26T00:00:09Z"}`)(w, r)
				default:
					answer(200, jsonType, `{"started":"`+started+`"}`)(w, r)
				}
			})
			err := s.Health.CheckWebsockets(t.Context())
			isOf(t, "the check", err, c.code)
			if errors.Is(err, ErrNoWebsockets) != (c.code == faults.WebsocketsEaten) {
				t.Error(err)
			}
			tried.Store(false)
			ws, err := s.Rooms.Dial(t.Context(), "json:notebook:x", "y")
			switch {
			case c.taken:
				if err != nil {
					t.Fatal(err)
				}
				ws.Close()
			case c.code == faults.WebsocketsEaten:
				isOf(t, "the room", err, c.code)
			default:
				isOf(t, "the room", err, faults.NotThere)
			}
		})
	}
}

// certificate returns a self-signed certificate, for a time and a name.
func certificate(t *testing.T, until time.Time, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until, DNSNames: []string{name}}
	if ip := net.ParseIP(name); ip != nil {
		made.DNSNames, made.IPAddresses = nil, []net.IP{ip}
	}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, roots
}

// The error of an untrusted certificate says what to do, for requests and websockets; one signed by a given authority
// is trusted, and a server of this machine is found in either case.
func TestCertificates(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name  string
		until time.Time
		host  string
		given bool
		code  faults.Code
	}{
		{"believed", time.Now().Add(day), "127.0.0.1", true, ""},
		{"unknown", time.Now().Add(day), "127.0.0.1", false, faults.PrivateCA},
		{"expired", time.Now().Add(-day), "127.0.0.1", true, faults.CertificateExpired},
		{"of another", time.Now().Add(day), "other.example.org", true, faults.CertificateName},
	} {
		t.Run(c.name, func(t *testing.T) {
			cert, roots := certificate(t, c.until, c.host)
			hs := httptest.NewUnstartedServer(answer(200, jsonType, `{}`))
			hs.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
			hs.Config.ErrorLog = nil
			hs.StartTLS()
			defer hs.Close()
			if !c.given {
				roots = nil
			}
			s, err := New(Options{URL: hs.URL, Token: "t", Roots: roots})
			if err != nil {
				t.Fatal(err)
			}
			defer s.CloseIdleConnections()
			_, err = s.Health.Status(t.Context())
			isOf(t, "status", err, c.code)
			if _, err = s.Rooms.Dial(t.Context(), "json:notebook:x", "y"); c.code != "" {
				isOf(t, "room", err, c.code)
			} else if !errors.Is(err, ErrNoWebsockets) { // this server accepts none, but was reached
				t.Errorf("room: %v", err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "jpserver-1.json"), []byte(`{"url":"`+hs.URL+`","token":"t"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := DiscoverTrusting(t.Context(), []string{dir}, roots)
			must.NoError(t, err)
			test.SliceLen(t, 1, found)
		})
	}
}

// A server with a password reports that, instead of a missing token.
func TestPassword(t *testing.T) {
	hs := httptest.NewServer(answer(403, jsonType, `{"message":"Forbidden"}`))
	defer hs.Close()
	for _, c := range []struct {
		found Found
		code  faults.Code
	}{
		{Found{URL: hs.URL, Password: true}, faults.Password},
		{Found{URL: hs.URL, Password: true, Token: "t"}, faults.WrongToken},
		{Found{URL: hs.URL}, faults.WrongToken},
	} {
		s, err := New(Options{Find: func(context.Context) (Found, error) { return c.found, nil }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Health.Status(t.Context())
		isOf(t, "status", err, c.code)
		s.CloseIdleConnections()
	}
}

// The error of a kernel that cannot be started says where to look; a full disk is still reported as one.
func TestNoKernel(t *testing.T) {
	text := "The 'julia' kernel is not available."
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) { answer(501, jsonType, `{"message":"`+text+`"}`)(w, r) })
	for _, c := range []struct {
		text string
		code faults.Code
	}{{text, faults.NoKernel}, {"[Errno 28] No space left on device", faults.DiskFull}} {
		text = c.text
		_, started := s.Kernels.Start(t.Context(), "julia", Path{})
		_, made := s.Sessions.Create(t.Context(), NewSession{Path: MustPath("a.ipynb"), KernelName: "julia"})
		isOf(t, "kernel", started, c.code)
		isOf(t, "session", made, c.code)
	}
}

// Answers, and missing answers, have their faults.
func TestAnswersAreOfFaults(t *testing.T) {
	status, kind := 0, ""
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(status, kind, "{}")(w, r) }))
	defer hs.Close()
	ask := func(address string, ctx context.Context) error {
		s, err := New(Options{URL: address, Token: "t"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.CloseIdleConnections()
		_, err = s.Health.Status(ctx)
		return err
	}
	for _, c := range []struct {
		status int
		kind   string
		code   faults.Code
	}{
		{424, jsonType, faults.HubStopped},
		{403, pageType, faults.HubStopped},
		{503, pageType, faults.ProxyWithoutServer},
		{401, pageType, faults.WrongToken},
		{200, pageType, faults.NotJupyter},
		{409, jsonType, ""},
	} {
		status, kind = c.status, c.kind
		isOf(t, "status", ask(hs.URL, t.Context()), c.code)
	}
	isOf(t, "https", ask(strings.Replace(hs.URL, "http:", "https:", 1), t.Context()), faults.HTTPNotHTTPS)
	secure := httptest.NewUnstartedServer(answer(200, jsonType, "{}"))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	isOf(t, "http", ask(strings.Replace(secure.URL, "https:", "http:", 1), t.Context()), faults.HTTPSNotHTTP)
	to := ""
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to+r.URL.Path, http.StatusMovedPermanently)
	}))
	defer moved.Close()
	for there, code := range map[string]faults.Code{
		"https://127.0.0.1": faults.HTTPSNotHTTP, "https://127.0.0.1/prefix": faults.NotJupyter, "https://other.example.org": faults.NotJupyter,
	} {
		to = there
		isOf(t, "redirected to "+there, ask(moved.URL, t.Context()), code)
	}
	late, stop := context.WithDeadline(t.Context(), time.Now())
	defer stop()
	isOf(t, "late", ask(hs.URL, late), faults.Busy)
}
