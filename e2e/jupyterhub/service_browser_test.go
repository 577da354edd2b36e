package jupyterhub

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
)

// inBrowser lets ann log in with a real browser, for a client that waits at an address of the machine: she sees the
// hub's login page, then the question, and returns to the client.
func (o *office) inBrowser(t *testing.T) {
	back := make(chan *url.URL, 1)
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cb" {
			back <- r.URL
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(client.Close)
	p := discover(t, o.how.URL, client.URL+"/cb")
	b, err := browser.Launch()
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	tab, err := b.OpenTab()
	must.NoError(t, err)
	t.Cleanup(tab.Close)
	_, err = browser.Eval[string](t.Context(), tab, "location.href = "+strconv.Quote(p.begin(nil)))
	must.NoError(t, err)
	must.NoError(t, tab.ClickInto(t.Context(), "#username_input"))
	must.NoError(t, tab.Type(t.Context(), "ann"))
	must.NoError(t, tab.Click(t.Context(), "#login_submit"))
	must.NoError(t, tab.WaitVisible(t.Context(), "button[value=allow]"))
	must.NoError(t, tab.Screenshot(t.Context(), "../artifacts/consent.png"))
	if errs := tab.Errors(); len(errs) > 0 {
		t.Errorf("errors in the page: %q", errs)
	}
	must.NoError(t, tab.Click(t.Context(), "button[value=allow]"))
	select {
	case at := <-back:
		to, err := url.Parse(client.URL)
		must.NoError(t, err)
		made, why := p.fetch(t, p.code(t, to.ResolveReference(at)), nil)
		if made == "" {
			t.Fatalf("no token: %s", why)
		}
		o.session(t, made)
	case <-t.Context().Done():
		t.Error("the browser does not come back")
	}
}
