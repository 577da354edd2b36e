package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
)

// PageURL returns the address at which a person opens a document or a folder in JupyterLab, the same for all types. Other
// addresses, such as /notebooks, exist only where further packages are installed.
func PageURL(base string, path jupyter.Path) string {
	return strings.TrimSuffix(base+"/lab/tree/"+path.Escaped(), "/")
}

// NotebookArg checks a path argument that must name a file.
func NotebookArg(name, path string) (jupyter.Path, error) {
	return FileArg(name, path, ", not a notebook: give a path such as \"work/analysis.ipynb\""+textfmt.Hint("; list_nbs lists them"))
}

// FileArg checks a path argument that must name a file or folder below the root; instead is what an error says to give
// instead of the root.
func FileArg(name, path, instead string) (jupyter.Path, error) {
	if scheme, _, ok := strings.Cut(path, "://"); ok && scheme != "" && !strings.Contains(scheme, "/") { // a browser's
		return jupyter.Path{}, fmt.Errorf("%s %s is a URL, not a path"+textfmt.Hint(": nb_path_from_url gives the path of a notebook's URL"), name, textfmt.Quoted(path))
	}
	clean, err := FolderArg(name, path)
	if err == nil && clean.IsRoot() {
		err = errors.New(name + " " + textfmt.Quoted(path) + " names the server's root folder" + instead)
	}
	return clean, err
}

// FolderArg checks a path argument that may name any folder, the root too.
func FolderArg(name, path string) (jupyter.Path, error) {
	clean, err := jupyter.ParsePath(path)
	if err != nil {
		return jupyter.Path{}, fmt.Errorf("%s: %w", name, err)
	}
	return clean, nil
}

// InNotebook is the argument of a tool that works in one notebook.
type InNotebook struct {
	Path string `json:"path" jsonschema:"The notebook's path." validate:"min=1,max=path"`
}

// Notebook returns the path as given.
func (n InNotebook) Notebook() string { return n.Path }

// Unescaped decodes a percent-encoded path; ok is false if it is not encoded.
func Unescaped(path jupyter.Path) (plain jupyter.Path, ok bool) {
	text, err := url.PathUnescape(path.String())
	if err != nil || text == path.String() {
		return jupyter.Path{}, false
	}
	plain, err = jupyter.ParsePath(text)
	return plain, err == nil && !plain.IsRoot()
}

type meantKey struct{}

// WithMeant returns a context that records which files the paths of a call turn out to mean, see [Meant], and a function
// that returns the file for a path.
func WithMeant(ctx context.Context) (bound context.Context, meant func(path jupyter.Path) jupyter.Path) {
	var files sync.Map
	return context.WithValue(ctx, meantKey{}, &files), func(path jupyter.Path) jupyter.Path {
		if file, ok := files.Load(path); ok {
			return file.(jupyter.Path)
		}
		return path
	}
}

// Meant records that a percent-encoded path of a call means the file at the decoded path.
func Meant(ctx context.Context, path, file jupyter.Path) {
	if files, ok := ctx.Value(meantKey{}).(*sync.Map); ok {
		files.Store(path, file)
	}
}

// Find calls find with the path of a call and, if it is not found, with the decoded path if it is percent-encoded. The error
// is that of the path as given.
func Find[T any](ctx context.Context, path jupyter.Path, find func(context.Context, jupyter.Path) (T, error)) (T, error) {
	out, err := find(ctx, path)
	if plain, ok := Unescaped(path); ok && errors.Is(err, jupyter.ErrNotFound) {
		if there, plainErr := find(ctx, plain); plainErr == nil {
			Meant(ctx, path, plain)
			return there, nil
		}
	}
	return out, err
}

// An AbsentError means that no document is at the path that a call names.
type AbsentError struct {
	Path jupyter.Path
	text string
}

// Absent returns an [AbsentError] with this text.
func Absent(path jupyter.Path, format string, args ...any) error {
	return &AbsentError{path, fmt.Sprintf(format, args...)}
}

func (e *AbsentError) Error() string { return e.text }

// WhyMissing returns a further reason why a path may not be found, "" for none.
func WhyMissing(path jupyter.Path) string {
	for name := range strings.SplitSeq(path.String(), "/") {
		if strings.HasPrefix(name, ".") {
			return "; names that begin with a dot, such as " + textfmt.Quoted(name) + ", are hidden: the Jupyter server shows them only with --ContentsManager.allow_hidden=True"
		}
	}
	return ""
}
