package kit

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/lab"
)

// Person is a person with a browser tab.
type Person struct {
	*browser.Notebook
	T *testing.T
	// Moved is set if the test moves or deletes the open file.
	Moved bool
	// Stock, if not empty, is a part of an error that the page has without our help.
	Stock string
	shots int
}

// missed reports whether a page's error is a request for the old path of a moved file, which JupyterLab does not catch:
// the server answers 404, or 500 with these words if the file disappears during the request.
func missed(message string) bool {
	return strings.Contains(message, "404 Not Found") || strings.Contains(message, "Unhandled error")
}

// Open opens a notebook of the shared JupyterLab in a tab.
func Open(t *testing.T, path string) *Person {
	t.Helper()
	return OpenAt(t, Jupyter(t), path)
}

// OpenAt opens a notebook of a server in a tab.
func OpenAt(t *testing.T, l *lab.Lab, path string) *Person {
	t.Helper()
	workspace := strings.TrimSuffix(filepath.Base(path), ".ipynb")
	return OpenURL(t, l.PageURL(workspace, path))
}

// OpenURL opens the page of a notebook in a tab.
func OpenURL(t *testing.T, address string) *Person {
	t.Helper()
	notebook, err := Chromium(t).OpenNotebook(t.Context(), address)
	must.NoError(t, err)
	return newPerson(t, notebook)
}

// OpenTab opens an empty tab.
func OpenTab(t *testing.T) *Person {
	t.Helper()
	tab, err := Chromium(t).OpenTab()
	must.NoError(t, err)
	return newPerson(t, &browser.Notebook{Tab: tab})
}

// newPerson closes a tab when the test ends, and fails the test if the page had an uncaught error.
func newPerson(t *testing.T, notebook *browser.Notebook) *Person {
	t.Helper()
	p := &Person{Notebook: notebook, T: t}
	t.Cleanup(func() {
		for _, message := range p.Errors() {
			if p.Moved && missed(message) || p.Stock != "" && strings.Contains(message, p.Stock) {
				continue
			}
			t.Errorf("the page had an error: %s", message)
		}
		if t.Failed() {
			p.Shoot("failed")
		}
		p.Close()
	})
	return p
}

// Shoot saves a screenshot as <test>/NN-name.png.
func (p *Person) Shoot(name string) {
	p.T.Helper()
	p.shots++
	file := filepath.Join(artifacts, filepath.FromSlash(p.T.Name()), fmt.Sprintf("%02d-%s.png", p.shots, name))
	// It also works after the test, when its context is over.
	if err := p.Screenshot(context.WithoutCancel(p.T.Context()), file); err != nil {
		p.T.Error(err)
	}
}
