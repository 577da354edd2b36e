package fronts

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A foreign page in the server's place is named in the error.
func TestPagesInItsPlace(t *testing.T) {
	t.Parallel()
	sso := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the login is sent %s", r.URL) }))
	defer sso.Close()
	answer := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	const login = `<title>Sign in to ACME</title><form><input type="password" name="pw"></form>`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		words  []string
	}{
		"a network's own page": {answer(http.StatusOK, "<title>Hotel  Adler &ndash; free Wi-Fi</title>Accept our terms"), []string{`the HTML page "Hotel Adler – free Wi-Fi", not JSON`}},
		"a proxy without it":   {answer(http.StatusBadGateway, "<title>502 Bad Gateway</title>"), []string{"a proxy answers, but its Jupyter server does not"}},
		"a login page":         {answer(http.StatusOK, login), []string{`"Sign in to ACME", which asks for a password`, "Jupyter's token"}},
		"refused with one":     {answer(http.StatusUnauthorized, login), []string{`"Sign in to ACME", which asks for a password`, "Jupyter's token"}},
		"forbidden":            {answer(http.StatusForbidden, "<title>Forbidden by ACME</title>"), []string{`instead of the server: "Forbidden by ACME"`}},
		"a login elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, sso.URL+"/realms/acme/auth?next="+r.URL.Path, http.StatusFound)
		}, []string{"the login at " + sso.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			hs := httptest.NewServer(c.answer)
			defer hs.Close()
			a := start(t, nil, hs.URL+prefix, "JUPYTER_TOKEN=t0123456789abcdef0")
			refused(t, a, "list_files", nil, c.words...)
			refused(t, a, "read_nb_cells", map[string]any{"path": "a.ipynb"}, c.words...)
		})
	}
}
