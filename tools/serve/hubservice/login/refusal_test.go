package login

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// What the hub refuses is told to the client, and a wrong configuration of the service apart from a person's answer.
func TestHubRefuses(t *testing.T) {
	for why, want := range map[string][2]string{
		"access_denied": {"access_denied", "refused"}, "invalid_scope": {"server_error", "oauth_client_allowed_scopes"}, "<b>": {"access_denied", "refused"},
	} {
		r := newRig(t)
		id, _, _ := r.register(redirect)
		state := r.begin(id)
		a := r.do(http.MethodGet, "/oauth_callback?"+url.Values{"error": {why}, "state": {state}}.Encode(), nil, "")
		to, err := url.Parse(a.header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		q := to.Query()
		if a.status != http.StatusSeeOther || q.Get("error") != want[0] || !strings.Contains(q.Get("error_description"), want[1]) || strings.Contains(to.String(), "b%3E") {
			t.Errorf("%s: status %d, to %s", why, a.status, to)
		}
	}
}
