package resource

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/store/project"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// The file is parsed again only after a change.
func TestProjectIsCached(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.CloseIdleConnections()
		m := session.New(session.Config{Server: srv})
		defer func() {
			if err := m.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		path := s.Name(t, "-project.yaml")
		s.Write(t, path, sample.Shop)
		f := &ProjectFile{Manager: m, Path: jupyter.MustPath(path)}
		first, err := f.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := f.load(t.Context())
		must.NoError(t, err, must.Sprint("an unchanged file was read again"))
		test.EqOp(t, first, again, test.Sprint("an unchanged file was read again"))
		s.Write(t, path, strings.Replace(sample.Shop, "My SaaS App", "Her SaaS App", 1)) // of the same size
		changed, err := f.load(t.Context())
		must.NoError(t, err)
		test.NotEqOp(t, first, changed)
		test.Eq(t, "Her SaaS App", changed.Project.Name)
		for name, content := range map[string]string{"": strings.Repeat("#", project.MaxBytes+1), "not UTF-8": "project: {name: \xff}"} {
			s.Write(t, path, content)
			if p, err := f.load(t.Context()); err == nil {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if err := os.Remove(filepath.Join(s.Root, path)); err != nil {
			t.Fatal(err)
		}
		if p, err := f.load(t.Context()); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("what is gone is %+v, %v", p, err)
		}
	})
}
