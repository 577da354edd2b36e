package login

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/shoenig/test"
)

// The client gets the reason of the hub's refusal. A wrong configuration of the service differs from a person's answer.
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
		test.Eq(t, http.StatusSeeOther, a.status, test.Sprint(why))
		test.Eq(t, want[0], q.Get("error"), test.Sprint(why))
		test.StrContains(t, q.Get("error_description"), want[1], test.Sprint(why))
		test.StrNotContains(t, to.String(), "b%3E", test.Sprint(why))
	}
}
