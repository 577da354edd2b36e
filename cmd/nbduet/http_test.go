package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// httpProgram is a running program that serves HTTP.
type httpProgram struct {
	log  *locked
	url  string
	stop func() int // ends it, and returns the exit code
}

func launchHTTP(t *testing.T, args ...string) *httpProgram {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &httpProgram{log: &locked{}}
	code := make(chan int, 1)
	go func() {
		// Its input has ended, as for a service.
		code <- runWith(ctx, append([]string{"--jupyter-url=http://127.0.0.1:9", "--port=0"}, args...), strings.NewReader(""), &locked{}, p.log, found())
	}()
	p.stop = func() int { cancel(); return <-code }
	t.Cleanup(cancel)
	for end := time.Now().Add(time.Minute); p.url == ""; time.Sleep(5 * time.Millisecond) {
		if _, after, ok := strings.Cut(p.log.String(), "serving MCP at "); ok && strings.Contains(after, "\n") {
			p.url, _, _ = strings.Cut(after, "\n")
		} else if time.Now().After(end) {
			cancel()
			t.Fatalf("it does not serve: %s", p.log.String())
		}
	}
	status(t, p.url, "") // it answers after it has printed everything
	return p
}

func status(t *testing.T, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// A generated token is printed once, for a person to copy; a given one never. Requests need it in both cases.
func TestServesHTTP(t *testing.T) {
	clean(t)
	p := launchHTTP(t, "--transport=streamable-http", "--log-level=debug")
	base, ok := strings.CutSuffix(p.url, "/mcp")
	must.True(t, ok)
	test.StrHasPrefix(t, "http://127.0.0.1:", base)
	_, after, _ := strings.Cut(p.log.String(), "Authorization: Bearer ")
	token, _, _ := strings.Cut(after, "\n")
	for path, want := range map[string]int{"/tools/list": 200, "/healthz": 200, "/none": 404} {
		if got := status(t, base+path, token); got != want {
			t.Errorf("%s: status %d", path, got)
		}
	}
	if got := status(t, base+"/tools/list", "x"+token); got != 401 {
		t.Errorf("with a wrong token: status %d", got)
	}
	if code := p.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	must.GreaterEq(t, 20, len(token))
	test.Eq(t, 1, strings.Count(p.log.String(), token))

	t.Setenv("NBDUET_AUTH_TOKEN", "given-t0ken")
	p = launchHTTP(t, "--transport=sse", "--log-level=debug")
	base, ok = strings.CutSuffix(p.url, "/sse")
	got := status(t, base+"/tools/list", "given-t0ken")
	must.True(t, ok)
	test.Eq(t, 200, got)
	code := p.stop()
	test.Eq(t, exitOK, code)
	test.StrNotContains(t, p.log.String(), "given-t0ken")
	test.StrNotContains(t, p.log.String(), "Bearer")

	// A file has one token for each person, and takes precedence.
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("adas-t0ken\nbobs-t0ken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = launchHTTP(t, "--transport=streamable-http", "--auth-token-file="+file, "--host=0.0.0.0")
	base = strings.TrimSuffix(p.url, "/mcp")
	for token, want := range map[string]int{"adas-t0ken": 200, "bobs-t0ken": 200, "given-t0ken": 401, "adas-t0ken\nbobs-t0ken"[:10]: 200} {
		if got := status(t, base+"/tools/list", token); got != want {
			t.Errorf("with %s: status %d", token, got)
		}
	}
	if !strings.Contains(p.log.String(), "--tls-cert") {
		t.Errorf("it does not warn: %s", p.log.String())
	}
	if code := p.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
}

// If the port is in use, the last line names the program that listens, as far as it is known, and the remedy.
func TestPortInUse(t *testing.T) {
	clean(t)
	p := launchHTTP(t, "--transport=streamable-http")
	address := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/mcp")
	_, port, _ := strings.Cut(address, ":")
	o := start(t, found(), "--jupyter-url=http://127.0.0.1:9", "--transport=streamable-http", "--port="+port)
	want := faults.New(faults.PortInUse, faults.Values{Address: address, Detail: "another program, probably nbduet,"})
	o.is(t, exitUsage, "\nnbduet: "+want.Error()+"\n")
	if code := p.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
}

func TestWrongHTTPFlags(t *testing.T) {
	clean(t)
	t.Setenv("NBDUET_TRANSPORT", "streamable-http")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"--transport=pigeon"}, []string{"--transport", `"pigeon"`, "streamable-http"}},
		{[]string{"--port=70000"}, []string{"--port", "70000"}},
		{[]string{"--port=-1"}, []string{"--port", "-1"}},
		{[]string{"--port=" + port}, []string{"another program already listens at 127.0.0.1:" + port, "--port"}},
		{[]string{"--host="}, []string{"--host"}},
		{[]string{"--host=192.0.2.1", "--port=0"}, []string{"192.0.2.1", "--host"}},
		{[]string{"--auth-token=a b"}, []string{"--auth-token", "space"}},
		{[]string{"--auth-token-file=/no/such/file"}, []string{"--auth-token-file", "/no/such/file"}},
		{[]string{"--auth-token-file=" + empty}, []string{"--auth-token-file", "no token"}},
		{[]string{"--allowed-origins=app.example.org"}, []string{"app.example.org", "origin"}},
		{[]string{"--allowed-hosts=http://nb.example.org"}, []string{"nb.example.org", "host"}},
		{[]string{"--tls-cert=cert.pem"}, []string{"certificate", "key"}},
		{[]string{"--tls-cert=no.pem", "--tls-key=no.pem", "--port=0"}, []string{"no.pem"}},
		{[]string{"--oidc-issuer=https://login.example.org"}, []string{"--oidc-issuer", "--resource-url", "--oidc-audience"}},
		{[]string{"--oidc-issuer=http://login.example.org", "--oidc-audience=nbduet"}, []string{"login.example.org", "https"}},
		{[]string{"--oidc-audience=nbduet"}, []string{"--oidc-audience", "--oidc-issuer"}},
		{[]string{"--oidc-scopes=a"}, []string{"--oidc-scopes", "--oidc-issuer"}},
		{[]string{"--resource-url=nb.example.org"}, []string{"nb.example.org", "URL"}},
		{[]string{"--client-timeout=0"}, []string{"--client-timeout", "0 is not"}},
	} {
		o := start(t, found(), append([]string{"--jupyter-url=http://127.0.0.1:9"}, c.args...)...)
		test.NotEq(t, exitOK, o.code, test.Sprint(c.args))
		test.Eq(t, "", o.stdout, test.Sprint(c.args))
		for _, want := range c.says {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("%v does not say %q: %s", c.args, want, o.stderr)
			}
		}
	}
}

func TestHTTPSettings(t *testing.T) {
	clean(t)
	s, _, err := parse(nil, io.Discard)
	must.NoError(t, err)
	test.Eq(t, transportStdio, s.http.transport)
	for name, value := range map[string]string{
		"NBDUET_TRANSPORT": "SSE", "NBDUET_HOST": "nb.example.org", "MCP_PORT": "4040", "NBDUET_ALLOWED_HOSTS": "a.example,b.example:1",
		"NBDUET_ALLOWED_ORIGINS": "https://a.example,https://b.example", "NBDUET_CLIENT_TIMEOUT": "0.5", "NBDUET_AUTH_TOKEN": "t",
	} {
		t.Setenv(name, value)
	}
	s, _, err = parse(nil, io.Discard)
	h := s.http
	must.NoError(t, err, must.Sprint(s.http))
	test.Eq(t, transportEvents, h.transport, test.Sprint(s.http))
	test.Eq(t, "nb.example.org:4040", h.address, test.Sprint(s.http))
	test.Eq(t, 30*time.Second, h.clientTimeout, test.Sprint(s.http))
	test.Eq(t, "a.example b.example:1 nb.example.org", strings.Join(h.hosts, " "), test.Sprint(s.http))
	must.SliceLen(t, 2, h.AllowedOrigins, must.Sprint(s.http))
	test.False(t, h.made, test.Sprint(s.http))
	test.Eq(t, "t", h.tokens[0], test.Sprint(s.http))
	os.Unsetenv("MCP_PORT") // t.Setenv still restores it
	s, _, err = parse([]string{"--host=[::1]", "--transport=streamable-http"}, io.Discard)
	must.NoError(t, err)
	test.Eq(t, "[::1]:3001", s.http.address)
}

// On Windows, the error names the alternative before anything is tried.
func TestNoSocketsOnWindows(t *testing.T) {
	for goos, refused := range map[string]bool{"windows": true, "linux": false, "darwin": false, "freebsd": false} {
		err := (inheritFlags{ListenFD: 3}).check(goos)
		test.Eq(t, refused, err != nil, test.Sprint(goos))
		test.False(t, refused && !strings.Contains(err.Error(), "--host and --port"), test.Sprint(goos))
		if err := (inheritFlags{}).check(goos); err != nil {
			t.Errorf("%s without the flag: %v", goos, err)
		}
	}
}
