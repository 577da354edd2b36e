package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/nbfile"
)

// ProjectText is the content of a project file.
const ProjectText = `# How it hangs together.
project: {name: My SaaS App, type: fullstack, path: /srv/app}

modules:
  # Who may do what.
  - name: auth
    patterns:
      - Use JWT tokens in httpOnly cookies
      - Implement token refresh with mutex locks
`

// Cell is a cell of a test's initial notebook file.
type Cell struct{ Kind, Source string }

// Code returns a code cell.
func Code(source string) Cell { return Cell{"code", source} }

// Markdown returns a Markdown cell.
func Markdown(source string) Cell { return Cell{"markdown", source} }

// NewNotebook writes a notebook with the given cells into JupyterLab's folder and returns its path there. Each name is
// new, because JupyterLab would find the kernel and the room of an earlier name.
func NewNotebook(t *testing.T, cells ...Cell) string {
	t.Helper()
	base := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(t.Name(), "-"), "-")
	name := base + ".ipynb"
	for n := 2; ; n++ { // the test may run again, or have another notebook
		if _, err := os.Stat(Jupyter(t).Path(name)); errors.Is(err, os.ErrNotExist) {
			break
		}
		name = fmt.Sprintf("%s-%d.ipynb", base, n)
	}
	AddNotebook(t, name, NotebookText(t, cells))
	return name
}

// NotebookText returns the file of a notebook with the given cells.
func NotebookText(t *testing.T, cells []Cell) []byte {
	t.Helper()
	list := make([]map[string]any, len(cells))
	for i, c := range cells {
		list[i] = map[string]any{
			"id": fmt.Sprintf("cell-%d", i), "cell_type": c.Kind, "source": c.Source, "metadata": map[string]any{},
		}
		if c.Kind == "code" {
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
	must.NoError(t, err)
	return text
}

// AddNotebook writes a notebook file. Its kernel, if one was started, ends with the test.
func AddNotebook(t *testing.T, name string, text []byte) {
	t.Helper()
	must.NoError(t, os.WriteFile(Jupyter(t).Path(name), text, 0o600))
	t.Cleanup(func() {
		if err := Jupyter(t).EndKernel(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
}

// OnDisk reads the cells of a notebook file from disk.
func OnDisk(t *testing.T, path string) ([]nbfile.Cell, error) {
	t.Helper()
	return nbfile.Read(Jupyter(t).Path(path))
}

// Gated prints three lines, each but the first only after the test has opened its gate, a file beside the notebook. So a
// line that is seen before the next gate was opened was shown while the cell still ran.
const Gated = `import os, time
for i in range(3):
    while i and not os.path.exists(f"%[1]s-gate-{i}"):
        time.sleep(0.02)
    print("line", i)
while not os.path.exists("%[1]s-gate-3"):
    time.sleep(0.02)`

// Plot draws a plot.
const Plot = `import matplotlib.pyplot as plt
plt.plot([3, 1, 2])
plt.show()`
