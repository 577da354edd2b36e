package jupyter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

const testToken = "s3cret-token-0123456789"

// serve answers every request with h, until the end of the test, and returns a client of it that logs to log.
func serve(t *testing.T, log *bytes.Buffer, h http.HandlerFunc) *Server {
	t.Helper()
	transport := &http.Transport{DialContext: jupytertest.Dial(t)}
	opt := Options{URL: jupytertest.Serve(t, h) + "/base/", Token: testToken, HTTPClient: &http.Client{Transport: transport}}
	if log != nil {
		opt.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
	return s
}

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestErrorKinds(t *testing.T) {
	const html, js = "text/html; charset=UTF-8", "application/json"
	kinds := []error{
		ErrNotFound, ErrUnauthorized, ErrForbidden, ErrUnreachable, ErrNoGateway, ErrConflict, ErrBadRequest, ErrServer, ErrNotJupyter, ErrTooLarge,
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		kind    error // the only kind that matches
		status  int
		says    string // in the error's text
	}{
		{"read with a wrong token", answer(403, js, `{"message":"Forbidden","reason":null}`), ErrUnauthorized, 403, "JUPYTER_TOKEN"},
		{"a full disk", answer(500, js, `{"message":"Unexpected error while saving file: a.txt [Errno 28] No space left on device"}`), ErrServer, 500, "the disk of the Jupyter server is full"},
		{"write with a wrong token", answer(403, js, `{"message":"'_xsrf' argument missing from POST"}`), ErrUnauthorized, 403, "token is wrong or missing"},
		{"forbidden", answer(403, js, `{"message":"Permission denied: x"}`), ErrForbidden, 403, "Permission denied: x"},
		{"a hub's page", answer(403, html, "<h1>Page of the hub</h1>"), ErrUnauthorized, 403, "server is started"},
		{"unauthorized", answer(401, js, `{}`), ErrUnauthorized, 401, "JUPYTER_TOKEN"},
		{"missing file", answer(404, js, `{"message":"No such file: x","reason":null}`), ErrNotFound, 404, "No such file: x"},
		{"wrong prefix", answer(404, html, "<h1>Page</h1>"), ErrNotJupyter, 404, "base URL"},
		{"conflict", answer(409, js, `{"message":"File already exists"}`), ErrConflict, 409, "already exists"},
		{"bad type", answer(400, js, `{"message":"x is a directory","reason":"bad type"}`), ErrBadRequest, 400, "x is a directory: bad type"},
		{"server error", answer(500, js, `{"message":"Unhandled error"}`), ErrServer, 500, "Unhandled error"},
		{"bad gateway", answer(502, html, "<h1>Page</h1>"), ErrUnreachable, 502, "start it"},
		{"no gateway", answer(503, js, `{"message":"ConnectionError was received from Gateway server url '%s'.  Check to be sure the Gateway instance is running.","reason":null}`), ErrNoGateway, 503, "the gateway for the kernels"},
		{"an unknown gateway", answer(404, js, `{"message":"The Gateway server specified in the gateway_url '%s' doesn't appear to be valid.  Ensure"}`), ErrNoGateway, 404, "--gateway-url"},
		{"a gateway's proxy", answer(503, js, `{"message":"Error from Gateway: [%s] %s. Ensure gateway url is valid and the Gateway instance is running."}`), ErrNoGateway, 503, "the gateway for the kernels"},
		{"a gateway out of time", answer(599, js, `{"message":"Error from Gateway: [%s] %s. Ensure"}`), ErrNoGateway, 599, "the gateway for the kernels"},
		{"a session without a gateway", answer(500, js, `{"message":"HTTP 503: Service Unavailable (Error from Gateway: [Service Unavailable] x. Ensure)"}`), ErrNoGateway, 500, "the gateway for the kernels"},
		{"a gateway that fails", answer(500, js, `{"message":"Error from Gateway: [%s] %s. Ensure"}`), ErrServer, 500, "Error from Gateway"},
		{"a gateway that refuses", answer(403, js, `{"message":"Error from Gateway: [%s] %s. Ensure"}`), ErrForbidden, 403, "Error from Gateway"},
		{"a kernel that the gateway has not", answer(404, js, `{"message":"Error from Gateway: [%s] %s. Ensure"}`), ErrNotFound, 404, "Error from Gateway"},
		{"hub without the server", answer(424, js, `{"message":"ada is not running"}`), ErrUnreachable, 424, "ada is not running"},
		{"too long a request", answer(413, "text/plain", "too much"), ErrTooLarge, 413, "too much"},
		{"teapot", answer(418, "text/plain; charset=utf-8", "short\r\n\tand \x1b[1mstout"), ErrNotJupyter, 418, "short and [1mstout"},
		{"a page as success", answer(200, html, "<h1>Page</h1>"), ErrNotJupyter, 200, "text/html"},
		{"broken JSON", answer(200, js, `{"path":`), ErrNotJupyter, 200, "decode"},
		{"other JSON", answer(200, js, `[]`), ErrNotJupyter, 200, "decode"},
		{"echoed token", answer(500, js, `{"message":"bad header token `+testToken+`"}`), ErrServer, 500, "[token]"},
		{"endless message", answer(500, js, `{"message":"`+strings.Repeat("long ", 5000)+`"}`), ErrServer, 500, "long …"},
		{"a message of another type", answer(500, js, `{"message":{"a":1}}`), ErrServer, 500, "internal server error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			s := serve(t, &log, tt.handler)
			_, err := s.Contents.Get(t.Context(), MustPath("a dir/x.ipynb"), ContentsOptions{})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *Error", err)
			}
			for _, k := range kinds {
				if errors.Is(err, k) != errors.Is(tt.kind, k) {
					t.Errorf("errors.Is(%v, %q) = %t", err, k, errors.Is(err, k))
				}
			}
			test.Eq(t, tt.status, e.Status)
			test.Eq(t, "a dir/x.ipynb", e.Path)
			test.NotEq(t, "", e.Op)
			text := err.Error()
			if !strings.Contains(text, tt.says) {
				t.Errorf("%q does not say %q", text, tt.says)
			}
			test.StrNotContains(t, text, "<h1>")
			test.StrNotContains(t, text, "Page")
			test.False(t, strings.ContainsAny(text, "\n\r\x1b"))
			test.LessEq(t, 800, len(text))
			test.StrNotContains(t, text, "s3cret")
			test.StrNotContains(t, log.String(), "s3cret")
			if log.Len() == 0 {
				t.Error("the request is not in the log")
			}
		})
	}
}

// Requests carry the token in the header, and not in the URL.
func TestTokenTravelsInHeader(t *testing.T) {
	var got []*http.Request
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		answer(200, "application/json", `{}`)(w, r)
	})
	if _, err := s.Contents.Get(t.Context(), MustPath("é #?.ipynb"), ContentsOptions{Content: true, Type: "file"}); err != nil {
		t.Fatal(err)
	}
	_, _ = s.Rooms.Dial(t.Context(), "json:notebook:id", "sess") // refused; the request is what counts
	// three requests: a 200 for a handshake is not Jupyter's own answer, so the status is requested as well
	must.SliceLen(t, 3, got)
	must.Eq(t, "/base/api/status", got[2].URL.Path)
	for _, r := range got {
		test.Eq(t, "token "+testToken, r.Header.Get("Authorization"))
		test.StrNotContains(t, r.RequestURI, "s3cret")
		if r.Header.Get("User-Agent") != "nbduet" {
			t.Errorf("User-Agent %q", r.Header.Get("User-Agent"))
		}
	}
	if want := "/base/api/contents/%C3%A9%20%23%3F.ipynb?content=1&type=file"; got[0].RequestURI != want {
		t.Errorf("asked for %s, want %s", got[0].RequestURI, want)
	}
	if want := "/base/api/collaboration/room/json:notebook:id?sessionId=sess"; got[1].RequestURI != want {
		t.Errorf("dialled %s, want %s", got[1].RequestURI, want)
	}
	if p := got[1].Header.Get("Sec-Websocket-Protocol"); p != "" {
		t.Errorf("a room was asked for with the subprotocol %q", p)
	}
}

// Redirects are followed within the server, and the token is not sent to any other.
func TestRedirects(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server was asked for %s with %v", r.URL, r.Header)
	}))
	defer foreign.Close()
	posts := 0
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/base/api/contents/near":
			http.Redirect(w, r, "/base/api/contents/target", http.StatusFound)
		case "/base/api/contents/target":
			answer(200, "application/json", `{"path":"target"}`)(w, r)
		case "/base/api/contents/far":
			http.Redirect(w, r, foreign.URL+"/x?token=s3cret", http.StatusFound)
		case "/base/api/contents/login":
			http.Redirect(w, r, "/base/login?next=x", http.StatusFound)
		case "/base/api/contents/loop":
			http.Redirect(w, r, "/base/api/contents/loop", http.StatusFound)
		case "/base/api/sessions":
			posts++
			http.Redirect(w, r, "/base/api/contents/target", http.StatusFound)
		case "/base/api/collaboration/room/a":
			http.Redirect(w, r, foreign.URL+"/x", http.StatusFound)
		}
	})
	ctx := t.Context()
	c, err := s.Contents.Get(ctx, MustPath("near"), ContentsOptions{})
	must.NoError(t, err, must.Sprint("a redirect within the server"))
	test.Eq(t, "target", c.Path.String(), test.Sprint("a redirect within the server"))
	for path, kind := range map[string]error{"far": ErrNotJupyter, "login": ErrUnauthorized, "loop": ErrNotJupyter} {
		_, err := s.Contents.Get(ctx, MustPath(path), ContentsOptions{})
		test.ErrorIs(t, err, kind, test.Sprint(path))
		test.StrNotContains(t, err.Error(), "s3cret", test.Sprint(path))
		if path == "far" && !strings.Contains(err.Error(), foreign.URL) {
			t.Errorf("%v does not name the other server", err)
		}
	}
	_, err = s.Sessions.Create(ctx, NewSession{Path: MustPath("x")})
	test.ErrorIs(t, err, ErrNotJupyter, test.Sprint("a redirected POST"))
	test.Eq(t, 1, posts, test.Sprint("a redirected POST"))
	if _, err := s.Rooms.Dial(ctx, "a", ""); !errors.Is(err, ErrNotJupyter) {
		t.Errorf("a redirected websocket: %v", err)
	}
}

func TestAnswerTooLarge(t *testing.T) {
	s := serve(t, nil, answer(200, "application/json", `"`+strings.Repeat("x", 2000)+`"`))
	s.maxAnswer = 1000
	if _, err := s.Contents.Get(t.Context(), MustPath("x"), ContentsOptions{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
}

// The error of an unreachable server names its address.
func TestUnreachable(t *testing.T) {
	hs := httptest.NewServer(http.NotFoundHandler())
	url := hs.URL
	hs.Close()
	s, err := New(Options{URL: url, Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	_, restErr := s.Health.Status(t.Context())
	_, roomErr := s.Rooms.Dial(t.Context(), "json:notebook:x", "y")
	_, kernelErr := s.Kernels.Dial(t.Context(), "k", "s")
	for what, err := range map[string]error{"status": restErr, "room": roomErr, "kernel": kernelErr} {
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v, want ErrUnreachable", what, err)
		}
		test.StrContains(t, err.Error(), url, test.Sprint(what))
		test.StrContains(t, err.Error(), "is Jupyter running", test.Sprint(what))
	}
}

// A server that speaks http is recognised at an https address, without a long wait.
func TestSecureAddressOfPlainServer(t *testing.T) {
	hs := httptest.NewServer(http.NotFoundHandler())
	defer hs.Close()
	s, err := New(Options{URL: strings.Replace(hs.URL, "http://", "https://", 1), Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Health.Status(t.Context())
	test.False(t, errors.Is(err, ErrUnreachable))
	test.ErrorIs(t, err, ErrNotJupyter)
	test.StrContains(t, err.Error(), "speaks http, not https")
}

// An error about the root folder names it.
func TestErrorNamesRootFolder(t *testing.T) {
	for path, want := range map[string]string{"": "read contents of the root folder: forbidden", "a": `read contents of "a": forbidden`} {
		if got := (&Error{Op: "read contents of", Path: path, kind: ErrForbidden}).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// blockingTransport answers no request before its context ends, except status requests if alive is set.
type blockingTransport struct{ alive bool }

func (b blockingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.alive && strings.HasSuffix(r.URL.Path, "/api/status") {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
			Body: io.NopCloser(strings.NewReader("{}")),
		}, nil
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A request waits for a silent server for the time in the options, or 30 seconds, and no longer than the caller
// allows. If a kernel has to start and the server answers other requests, it waits 90 seconds.
func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := func(alive bool, timeout time.Duration) *Server {
			s, err := New(Options{URL: "http://jupyter.invalid", HTTPClient: &http.Client{Transport: blockingTransport{alive}}, Timeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		status := func(s *Server, ctx context.Context) error {
			_, err := s.Contents.Get(ctx, MustPath("x"), ContentsOptions{})
			return err
		}
		starts := map[string]func(s *Server, ctx context.Context) error{
			"session": func(s *Server, ctx context.Context) error {
				_, err := s.Sessions.Create(ctx, NewSession{Path: MustPath("x")})
				return err
			},
			"start": func(s *Server, ctx context.Context) error {
				_, err := s.Kernels.Start(ctx, "", MustPath(""))
				return err
			},
			"restart": func(s *Server, ctx context.Context) error { _, err := s.Kernels.Restart(ctx, "k"); return err },
		}
		givesUp := func(what string, after time.Duration, call func(ctx context.Context) error) {
			t.Helper()
			for _, limit := range []time.Duration{0, time.Second, 10 * time.Minute} {
				ctx, cancel := context.WithCancel(t.Context())
				want := after
				if limit > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), limit)
					if want = min(after, limit); after == 90*time.Second {
						want = limit // the caller's limit for the kernel takes precedence
					}
				}
				start := time.Now()
				err := call(ctx)
				cancel()
				got := time.Since(start)
				test.Eq(t, want, got, test.Sprint(what, limit))
				test.ErrorIs(t, err, context.DeadlineExceeded, test.Sprint(what, limit))
				test.StrContains(t, err.Error(), "no answer in time from http://jupyter.invalid", test.Sprint(what, limit))
			}
		}
		for _, timeout := range []time.Duration{0, 10 * time.Second} {
			usual := cmp.Or(timeout, 30*time.Second)
			givesUp("a file", usual, func(ctx context.Context) error { return status(server(false, timeout), ctx) })
			for what, call := range starts {
				givesUp(what+" of a silent server", usual, func(ctx context.Context) error { return call(server(false, timeout), ctx) })
				givesUp(what, 90*time.Second, func(ctx context.Context) error { return call(server(true, timeout), ctx) })
			}
		}
		s := server(false, 0)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := s.Health.Status(ctx)
		test.ErrorIs(t, err, context.Canceled, test.Sprint("cancelled"))
		test.False(t, errors.Is(err, ErrUnreachable), test.Sprint("cancelled"))
	})
}

// Requests for the lists are repeated if the server fails because of a starting kernel; other failures are final.
func TestListsAskAgain(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		asked, failures, status := 0, 0, 0
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= failures {
				answer(status, "application/json", `{"message":"Unhandled error"}`)(w, r)
				return
			}
			answer(200, "application/json", `[{"id":"k"}]`)(w, r)
		})
		for _, tt := range []struct {
			failures, status, asked int
			kind                    error
		}{
			{0, 500, 1, nil},
			{3, 500, 4, nil},
			{9, 500, 4, ErrServer},
			{9, 409, 1, ErrConflict},
		} {
			for what, list := range map[string]func() (int, error){
				"kernels":  func() (int, error) { l, err := s.Kernels.List(t.Context()); return len(l), err },
				"sessions": func() (int, error) { l, err := s.Sessions.List(t.Context()); return len(l), err },
			} {
				asked, failures, status = 0, tt.failures, tt.status
				n, err := list()
				test.Eq(t, tt.asked, asked, test.Sprint(what))
				test.ErrorIs(t, err, tt.kind, test.Sprint(what))
				test.Eq(t, n == 1, err == nil, test.Sprint(what))
			}
		}
	})
}
