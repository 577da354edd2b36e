package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/serve/issuertest"
)

// send sends a request with a token, and reads the answer.
func send(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// The metrics are served if enabled, and count calls.
func TestMetrics(t *testing.T) {
	clean(t)
	t.Setenv("NBDUET_AUTH_TOKEN", "given-t0ken")
	p := launchHTTP(t, "--transport=streamable-http")
	if got := status(t, strings.TrimSuffix(p.url, "/mcp")+"/metrics", "given-t0ken"); got != 404 {
		t.Errorf("without the flag: status %d", got)
	}
	p.stop()

	t.Setenv("NBDUET_METRICS", "true")
	p = launchHTTP(t, "--transport=streamable-http")
	base := strings.TrimSuffix(p.url, "/mcp")
	for _, c := range []struct{ tool, arguments string }{
		{"get_base_url", "{}"}, {"get_base_url", "{}"}, {"get_base_url", `{"s3cret":1}`}, {"list_nbs", "{}"}, {"s3cret", "{}"},
	} {
		send(t, http.MethodPost, base+"/tools/call", "given-t0ken", `{"tool_name":"`+c.tool+`","arguments":`+c.arguments+`}`)
	}
	if got := status(t, base+"/metrics", "x"); got != 401 {
		t.Errorf("with a wrong token: status %d", got)
	}
	code, text := send(t, http.MethodGet, base+"/metrics", "given-t0ken", "")
	for _, want := range []string{
		`nbduet_tool_calls_total{outcome="ok",tool="get_base_url"} 2`,
		`nbduet_tool_calls_total{outcome="refused",tool="get_base_url"} 1`,
		`nbduet_tool_calls_total{outcome="refused",tool="list_nbs"} 1`, // without Jupyter
		`nbduet_tool_call_duration_seconds_count{tool="get_base_url"} 3`,
		`nbduet_documents{kind="notebook"} 0`, `nbduet_runs{state="running"} 0`, `nbduet_image_cache_bytes 0`, `nbduet_clients{kind="person"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("status %d, and %s is not in %s", code, want, text)
		}
	}
	test.StrNotContains(t, text, "s3cret")
	test.StrNotContains(t, text, "t0ken")
	if code := p.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	start(t, found(), "--jupyter-url=http://127.0.0.1:9").is(t, exitUsage, "--metrics", "--transport")
}

// With an issuer, its tokens suffice, and none is generated.
func TestIssuer(t *testing.T) {
	clean(t)
	i := issuertest.Start(t)
	t.Setenv("NBDUET_OIDC_ISSUER", i.URL)
	t.Setenv("NBDUET_RESOURCE_URL", "https://nb.example.org")
	t.Setenv("NBDUET_OIDC_SCOPES", "notebooks,kernels")
	p := launchHTTP(t, "--transport=streamable-http", "--log-level=debug")
	base := strings.TrimSuffix(p.url, "/mcp")
	good := i.Token(t, "ada", "https://nb.example.org/mcp", map[string]any{"scope": "kernels notebooks"})
	for token, want := range map[string]int{
		good: 200, "x": 401, i.Token(t, "ada", "https://nb.example.org/mcp", nil): 403, i.Token(t, "ada", "nbduet", nil): 401,
	} {
		if got := status(t, base+"/tools/list", token); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	code, text := send(t, http.MethodGet, base+"/.well-known/oauth-protected-resource/mcp", "", "")
	test.Eq(t, 200, code)
	test.StrContains(t, text, i.URL)
	test.StrContains(t, text, `"https://nb.example.org/mcp"`)
	code = p.stop()
	test.Eq(t, exitOK, code)
	test.StrNotContains(t, p.log.String(), "Authorization: Bearer")
	test.StrNotContains(t, p.log.String(), "ada")
	test.StrContains(t, p.log.String(), i.URL)
	// A static token may be given in addition, and audiences other than its URLs.
	p = launchHTTP(t, "--transport=streamable-http", "--auth-token=given-t0ken", "--oidc-audience=other,nbduet")
	base = strings.TrimSuffix(p.url, "/mcp")
	for token, want := range map[string]int{"given-t0ken": 200, good: 401, i.Token(t, "ada", "nbduet", map[string]any{"scope": "kernels notebooks"}): 200} {
		if got := status(t, base+"/tools/list", token); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	if code := p.stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
}
