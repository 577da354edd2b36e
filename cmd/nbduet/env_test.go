package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A client only has to set JUPYTER_SERVER_URL, JUPYTER_TOKEN and LOG_LEVEL, and they take effect.
func TestEnvironment(t *testing.T) {
	clean(t)
	tokens := make(chan string, 100)
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens <- r.Header.Get("Authorization")
		http.Error(w, "not today", http.StatusTeapot)
	}))
	t.Cleanup(fake.Close)
	t.Setenv("JUPYTER_SERVER_URL", fake.URL+"/prefix/")
	t.Setenv("JUPYTER_TOKEN", "the-t0ken")
	for level, says := range map[string]struct{ has, lacks string }{
		"":        {"level=INFO msg=\"tool call\"", "level=DEBUG"},
		"info":    {"level=INFO msg=\"tool call\"", "level=DEBUG"},
		"debug":   {"level=DEBUG msg=\"jupyter request\"", "level=TRACE"},
		"warn":    {"", "level=INFO"},
		"Warning": {"--log-level", "level="},
		"ERROR":   {"", "level=WARN"},
	} {
		t.Run("LOG_LEVEL="+level, func(t *testing.T) {
			if level != "" {
				t.Setenv("LOG_LEVEL", level)
			}
			if level == "Warning" { // not a level
				start(t, found()).is(t, exitUsage, says.has, level)
				return
			}
			p := launch(t)
			p.initialize()
			text, failed := p.tool(2, "get_base_url", nil)
			test.False(t, failed, test.Sprint("get_base_url"))
			test.StrContains(t, text, fake.URL+"/prefix", test.Sprint("get_base_url"))
			if _, failed := p.tool(3, "list_nbs", nil); !failed {
				t.Error("list_nbs goes well")
			}
			p.in.Close()
			if code := p.end(); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			for len(tokens) > 0 {
				if token := <-tokens; token != "token the-t0ken" {
					t.Errorf("the server is asked with %q", token)
				}
			}
			log := p.log.String()
			test.StrContains(t, log, says.has)
			test.StrNotContains(t, log, says.lacks)
			test.StrNotContains(t, log, "the-t0ken")
		})
	}
}

// With a token and no address, the server is at Jupyter's default address.
func TestDefaultAddress(t *testing.T) {
	clean(t)
	for want, running := range map[string][]jupyter.Running{
		"http://localhost:8888": nil,
		"http://127.0.0.1:1111": {{URL: "http://127.0.0.1:1111", Token: "other"}},
	} {
		srv, err := connect(t.Context(), endpoint{token: "given"}, found(running...), reach{}, discard())
		must.NoError(t, err)
		test.Eq(t, want, srv.BaseURL())
	}
}
