package desk

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/tool"
)

// PageURL is the address at which a person opens a document; typ is its type in the Contents API.
func PageURL(base, typ, path string) string {
	page := "/edit"
	switch typ {
	case "notebook":
		page = "/notebooks"
	case "directory":
		page = "/tree"
	}
	if path == "" {
		return base + page
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return base + page + "/" + strings.Join(segments, "/")
}

// NotebookArg checks a path argument that must name a file.
func NotebookArg(name, path string) (string, error) {
	clean, err := jupyter.CleanPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if clean == "" {
		return "", errors.New(name + " " + words.Quoted(path) + " names the server's root folder, not a notebook: give a path such as \"work/analysis.ipynb\"" + words.Hint("; list_nbs lists them"))
	}
	return clean, nil
}

// InNotebook is the argument of a tool that works in one notebook.
type InNotebook struct {
	Path string `json:"path" jsonschema:"Notebook, such as \"work/analysis.ipynb\"."`
}

// Refine implements tool.Refiner.
func (InNotebook) Refine(f tool.Fields) { f.Field("path").Limit(1, MaxPath) }

// MaxPath bounds a path argument, in characters.
const MaxPath = 4096
