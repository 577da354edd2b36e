package files

import (
	"fmt"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/listcache"
)

// A walk ends at its bounds, says so, and reports unreadable folders.
func TestWalkIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		list  func(path string) ([]map[string]any, bool)
		found int
		says  string
	}{
		"entries": {func(string) (out []map[string]any, ok bool) {
			for i := range MaxEntries + 1 {
				out = append(out, jupytertest.Entry("file", "", fmt.Sprint(i)))
			}
			return out, true
		}, 0, "more than 10,000 files and folders"},
		"found": {func(string) (out []map[string]any, ok bool) {
			for i := range MaxListed + 1 {
				out = append(out, jupytertest.Entry("notebook", "", fmt.Sprintf("%d.ipynb", i)))
			}
			return out, true
		}, MaxListed, "more than 1,500 notebooks"},
		"depth": {func(path string) ([]map[string]any, bool) {
			return []map[string]any{jupytertest.Entry("directory", path, "d"), jupytertest.Entry("notebook", path, "n.ipynb")}, true
		}, MaxDepth + 1, "folders more than 20 deep"},
		"unreadable and hidden": {func(path string) ([]map[string]any, bool) {
			if path != "" {
				return nil, false
			}
			return []map[string]any{jupytertest.Entry("directory", path, "closed"), jupytertest.Entry("directory", path, ".hidden"), jupytertest.Entry("notebook", path, "n.ipynb")}, true
		}, 1, "1 folder could not be listed, for example"},
	} {
		t.Run(name, func(t *testing.T) {
			s := jupytertest.Folders(t, c.list)
			srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
			if err != nil {
				t.Fatal(err)
			}
			defer srv.CloseIdleConnections()
			found, note, err := Walk(t.Context(), listcache.New(srv, srv), Search{
				What: "notebook", Depth: MaxDepth, Wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
			})
			must.NoError(t, err)
			must.SliceLen(t, c.found, found)
			test.StrContains(t, note.String(), c.says)
		})
	}
}
