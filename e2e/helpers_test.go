package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/nbfile"
)

// artifacts is where screenshots are kept.
const artifacts = "artifacts"

// cell is a cell of a notebook file that a test begins with.
type cell struct{ kind, source string }

func code(source string) cell     { return cell{"code", source} }
func markdown(source string) cell { return cell{"markdown", source} }

// newNotebook writes a notebook with the given cells into the folder that
// JupyterLab shows, and returns its path there. The name is the test's own: with
// a name that was used before, JupyterLab would find that one's kernel and room.
func newNotebook(t *testing.T, cells ...cell) string {
	t.Helper()
	base := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(t.Name(), "-"), "-")
	name := base + ".ipynb"
	for n := 2; ; n++ { // the test may run again, or have another notebook
		if _, err := os.Stat(jupyter.Path(name)); errors.Is(err, os.ErrNotExist) {
			break
		}
		name = fmt.Sprintf("%s-%d.ipynb", base, n)
	}
	addNotebook(t, name, notebookText(t, cells))
	return name
}

// notebookText is the file of a notebook with the given cells.
func notebookText(t *testing.T, cells []cell) []byte {
	t.Helper()
	list := make([]map[string]any, len(cells))
	for i, c := range cells {
		list[i] = map[string]any{
			"id": fmt.Sprintf("cell-%d", i), "cell_type": c.kind, "source": c.source, "metadata": map[string]any{},
		}
		if c.kind == "code" {
			list[i]["outputs"], list[i]["execution_count"] = []any{}, nil
		}
	}
	text, err := json.Marshal(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{
			"kernelspec":    map[string]any{"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
			"language_info": map[string]any{"name": "python"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// addNotebook writes a notebook file. Its kernel, whoever started it, ends with
// the test.
func addNotebook(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(jupyter.Path(name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := jupyter.EndKernel(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
}

// onDisk reads the cells of a notebook file as it is on disk.
func onDisk(path string) ([]nbfile.Cell, error) { return nbfile.Read(jupyter.Path(path)) }

// person is somebody who looks at a notebook in a browser tab.
type person struct {
	*browser.Notebook
	t     *testing.T
	shots int
	// moved says that the test takes the file away from under the tab.
	moved bool
}

// missed tells whether an error of a page whose file was taken away is that it
// asked for the old path just then, which JupyterLab does not catch: the server
// answers 404, and now and then 500 with these words: the file may have gone while
// it was at it.
func missed(message string) bool {
	return strings.Contains(message, "404 Not Found") || strings.Contains(message, "Unhandled error")
}

// open opens a notebook in a tab. When the test ends, the tab is closed, and an
// error that nothing in the page caught fails the test.
func open(t *testing.T, path string) *person {
	t.Helper()
	return openAt(t, jupyter, path)
}

// openAt is open with another server than the one that all tests share.
func openAt(t *testing.T, l *lab.Lab, path string) *person {
	t.Helper()
	workspace := strings.TrimSuffix(filepath.Base(path), ".ipynb")
	notebook, err := chromium.OpenNotebook(t.Context(), l.PageURL(workspace, path))
	if err != nil {
		t.Fatal(err)
	}
	p := &person{Notebook: notebook, t: t}
	t.Cleanup(func() {
		for _, message := range p.Errors() {
			if p.moved && missed(message) {
				continue
			}
			t.Errorf("the page had an error: %s", message)
		}
		if t.Failed() {
			p.shoot("failed")
		}
		p.Close()
	})
	return p
}

// shoot keeps what the tab shows as artifacts/<test>/NN-name.png.
func (p *person) shoot(name string) {
	p.t.Helper()
	p.shots++
	file := filepath.Join(artifacts, filepath.FromSlash(p.t.Name()), fmt.Sprintf("%02d-%s.png", p.shots, name))
	// Also after the test, when its context is over.
	if err := p.Screenshot(context.WithoutCancel(p.t.Context()), file); err != nil {
		p.t.Error(err)
	}
}

// must ends the test where err is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
