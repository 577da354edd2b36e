package jupyter_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A server is reached by the address of any of its pages, also if its prefix ends like a page, and also by a
// websocket first.
func TestPrefixLikeAPage(t *testing.T) {
	for _, c := range []struct{ base, address string }{
		{"/", "/lab/tree/lab/a.ipynb"},
		{"/team/lab/", "/team/lab"},
		{"/team/lab/", "/team/lab/lab/tree/a.ipynb?reset"},
		{"/lab/tree/", "/lab/tree/"},
		{"/user/lab/", "/user/lab/lab"},
	} {
		t.Run(strings.ReplaceAll(c.address, "/", "_"), func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				js := jupytertest.Start(t, jupytertest.WithBaseURL(c.base))
				root := strings.TrimSuffix(js.URL, strings.TrimRight(c.base, "/"))
				s, err := jupyter.New(jupyter.Options{URL: root + c.address, Token: js.Token, HTTPClient: js.HTTP()})
				if err != nil {
					t.Fatal(err)
				}
				defer s.CloseIdleConnections()
				ws, err := s.DialEvents(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				ws.Close()
				_, err = s.Health.Status(t.Context())
				must.NoError(t, err)
				test.Eq(t, js.URL, s.BaseURL())
			})
		})
	}
}
