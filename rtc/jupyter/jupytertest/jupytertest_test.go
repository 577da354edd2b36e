package jupytertest_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// A started server answers with its token under its base URL, has a file in its runtime folder, serves its root, and
// is removed, with its folder, after the test.
func TestStart(t *testing.T) {
	var s *jupytertest.Server
	var root string
	t.Run("running", func(t *testing.T) {
		s = jupytertest.Start(t, jupytertest.WithBaseURL("/user/ada/"))
		root = s.Root
		if !strings.HasSuffix(s.URL, "/user/ada") {
			t.Errorf("URL %s does not end with the base URL", s.URL)
		}
		path := s.Notebook(t, "1+1")
		srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.CloseIdleConnections()
		c, err := srv.Contents.Get(t.Context(), jupyter.MustPath(path), jupyter.ContentsOptions{})
		must.NoError(t, err, must.Sprint(path))
		test.Eq(t, "notebook", c.Type, test.Sprint(path))
		running, err := jupyter.Discover(t.Context(), []string{s.RuntimeDir})
		must.NoError(t, err)
		must.SliceLen(t, 1, running)
		test.Eq(t, s.PID, running[0].PID)
	})
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Errorf("the server's root is still there after the test: %v", err)
	}
}
