package health_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/health"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		host      string
		encrypted bool
		want      string
	}{
		{"127.0.0.1", false, "http://127.0.0.1:3001/healthz"},
		{"0.0.0.0", false, "http://127.0.0.1:3001/healthz"},
		{"::", true, "https://[::1]:3001/healthz"},
		{"nb.local", true, "https://nb.local:3001/healthz"},
	} {
		if got := health.Local(c.host, 3001, c.encrypted); got != c.want {
			t.Errorf("%s: %s", c.host, got)
		}
	}
	for address, want := range map[string]string{
		"http://h:1":                      "http://h:1/healthz",
		"https://h/mcp":                   "https://h/healthz",
		"https://me:secret@h/at/sse/?a=b": "https://h/at/healthz",
		"http://h/healthz":                "http://h/healthz",
		"h:1":                             "",
		"ftp://h":                         "",
		"http://":                         "",
	} {
		got, err := health.URL(address)
		test.Eq(t, want, got, test.Sprint(address))
		test.Eq(t, want != "", err == nil, test.Sprint(address))
	}
}

func TestAsk(t *testing.T) {
	// The environment's proxy is for other machines.
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	status := http.StatusOK
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			status = http.StatusNotFound
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	})
	plain, encrypted := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer encrypted.Close()
	for _, address := range []string{plain.URL, encrypted.URL} {
		for _, status = range []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusFound} {
			var out strings.Builder
			err := health.Ask(t.Context(), address+"/healthz", &out)
			works := status == http.StatusOK
			test.Eq(t, works, err == nil, test.Sprint(address, status))
			test.Eq(t, works, strings.Contains(out.String(), "nbduet works"), test.Sprint(address, status))
		}
	}
	plain.Close()
	var out strings.Builder
	err := health.Ask(t.Context(), plain.URL+"/healthz", &out)
	must.Error(t, err, must.Sprint("after its end"))
	test.StrContains(t, err.Error(), "does not answer", test.Sprint("after its end"))
	test.Eq(t, 1, strings.Count(err.Error(), plain.URL), test.Sprint("after its end"))
	test.LessEq(t, 0, out.Len(), test.Sprint("after its end"))
}
