package fake

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/nbjson"
)

// files are the files below a folder, by contents path.
type files struct {
	root   string
	notary *nbjson.Notary
}

// model is a file or folder in the Contents API's form.
type model struct {
	Name         string  `json:"name"`
	Path         string  `json:"path"`
	LastModified string  `json:"last_modified"`
	Created      string  `json:"created"`
	Content      any     `json:"content"`
	Format       *string `json:"format"`
	MimeType     *string `json:"mimetype"`
	Size         *int64  `json:"size"`
	Writable     bool    `json:"writable"`
	Hash         *string `json:"hash"`
	Algorithm    *string `json:"hash_algorithm"`
	Type         string  `json:"type"`
}

// query selects the parts of a model.
type query struct {
	typ, format   string
	content, hash bool
}

// place returns the location of a file on disk. A path outside the root is not found.
func (f *files) place(p string) (string, error) {
	p = strings.Trim(p, "/")
	if strings.ContainsRune(p, 0) {
		return "", failed(http.StatusBadRequest, "embedded null byte")
	}
	full := filepath.Join(f.root, filepath.FromSlash(p))
	if full != filepath.Clean(f.root) && !strings.HasPrefix(full, filepath.Clean(f.root)+string(filepath.Separator)) {
		return "", failed(http.StatusNotFound, "%s is outside root contents directory", p)
	}
	return full, nil
}

// nearest returns the folder of a path on disk, or the nearest existing one above it.
func (f *files) nearest(p string) (string, error) {
	for ; ; p = path.Dir(p) {
		full, err := f.place(p)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(full); err == nil && info.IsDir() || strings.Trim(p, "/.") == "" {
			return full, nil
		}
	}
}

// hidden reports whether a segment of a path begins with a dot.
func hidden(p string) bool {
	for part := range strings.SplitSeq(strings.Trim(p, "/"), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}

// get returns the model of a file or folder.
func (f *files) get(p string, q query) (model, error) {
	p = strings.Trim(p, "/")
	full, err := f.place(p)
	if err != nil {
		return model{}, err
	}
	info, err := os.Stat(full)
	if err != nil || hidden(p) {
		return model{}, failed(http.StatusNotFound, "file or directory does not exist: %s", repr(p))
	}
	switch {
	case info.IsDir():
		if q.typ != "" && q.typ != "directory" {
			return model{}, &httpError{status: http.StatusBadRequest, message: p + " is a directory, not a " + q.typ, reason: "bad type"}
		}
		return f.folder(p, full, q.content)
	case q.typ == "notebook" || q.typ == "" && strings.HasSuffix(p, ".ipynb"):
		return f.notebook(p, full, q)
	case q.typ == "directory":
		return model{}, &httpError{status: http.StatusBadRequest, message: p + " is not a directory", reason: "bad type"}
	}
	return f.file(p, full, q)
}

// modified returns a file's modification time. In a bubble of testing/synctest the year is 2000, but files that a
// test writes directly have the system's time: such a file counts as written when it is first read.
func (f *files) modified(full string, info fs.FileInfo) time.Time {
	at, now := info.ModTime(), time.Now()
	if at.Sub(now) < 10*365*24*time.Hour {
		return at
	}
	if os.Chtimes(full, now, now) != nil {
		return at
	}
	return now
}

// base returns the fields that all models have.
func (f *files) base(p, full string) (model, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return model{}, failed(http.StatusNotFound, "file or directory does not exist: %s", repr(p))
	}
	size := info.Size()
	modified := f.modified(full, info)
	return model{
		Name: p[strings.LastIndexByte(p, '/')+1:], Path: p, LastModified: date(modified), Created: date(modified), Size: &size,
		Writable: writable(full),
	}, nil
}

func (f *files) folder(p, full string, content bool) (model, error) {
	m, err := f.base(p, full)
	if err != nil {
		return m, err
	}
	m.Type, m.Size = "directory", nil
	if !content {
		return m, nil
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return m, errUnhandled
	}
	list := []model{}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || name == "__pycache__" || strings.HasSuffix(name, ".pyc") || strings.HasSuffix(name, "~") {
			continue
		}
		if t := e.Type(); t&^(fs.ModeSymlink|fs.ModeDir) != 0 {
			continue // a pipe or a socket
		}
		if entry, err := f.get(p+"/"+name, query{}); err == nil { // a broken link is left out
			list = append(list, entry)
		}
	}
	m.Content, m.Format = list, ptr("json")
	return m, nil
}

func (f *files) notebook(p, full string, q query) (model, error) {
	m, err := f.base(p, full)
	if err != nil {
		return m, err
	}
	m.Type = "notebook"
	if !q.content && !q.hash {
		return m, nil
	}
	b, err := os.ReadFile(full)
	if err != nil {
		return m, unreadable(p, err)
	}
	if q.content {
		nb, err := f.parseNotebook(full, b)
		if err != nil {
			return m, err
		}
		m.Content, m.Format = nb, ptr("json")
	}
	if q.hash {
		m.Hash, m.Algorithm = ptr(hashOf(b)), ptr("sha256")
	}
	return m, nil
}

// parseNotebook parses a notebook file, and marks its cells as trusted or not.
func (f *files) parseNotebook(full string, b []byte) (map[string]any, error) {
	nb, err := nbjson.Read(b)
	if errors.As(err, new(*nbjson.RaisedError)) {
		return nil, errUnhandled
	}
	if err == nil {
		err = f.notary.Mark(nb)
	}
	if err != nil {
		return nil, failed(http.StatusBadRequest, "Unreadable Notebook: %s NotJSONError(%s)", full, repr("Notebook does not appear to be JSON: "+repr(shorten(string(b), 77))))
	}
	return nb, nil
}

func (f *files) file(p, full string, q query) (model, error) {
	m, err := f.base(p, full)
	if err != nil {
		return m, err
	}
	m.Type = "file"
	m.MimeType = mimeTypes[path.Ext(p)]
	if !q.content && !q.hash {
		return m, nil
	}
	b, err := os.ReadFile(full)
	if err != nil {
		return m, unreadable(p, err)
	}
	if q.content {
		text := utf8.Valid(b)
		switch {
		case q.format == "text" && !text:
			return m, &httpError{status: http.StatusBadRequest, message: full + " is not UTF-8 encoded", reason: "bad format"}
		case q.format == "base64" || !text:
			m.Content, m.Format = pythonBase64(b), ptr("base64")
		default:
			m.Content, m.Format = string(b), ptr("text")
		}
		if m.MimeType == nil {
			m.MimeType = ptr(map[string]string{"text": "text/plain", "base64": "application/octet-stream"}[*m.Format])
		}
	}
	if q.hash {
		m.Hash, m.Algorithm = ptr(hashOf(b)), ptr("sha256")
	}
	return m, nil
}

// mimeTypes are Python's MIME types by file name extension.
var mimeTypes = map[string]*string{
	".txt": ptr("text/plain"), ".md": ptr("text/markdown"), ".py": ptr("text/x-python"), ".csv": ptr("text/csv"), ".json": ptr("application/json"),
	".html": ptr("text/html"), ".png": ptr("image/png"), ".svg": ptr("image/svg+xml"), ".bin": ptr("application/octet-stream"), ".xml": ptr("text/xml"),
	".pdf": ptr("application/pdf"), ".zip": ptr("application/zip"), ".jpg": ptr("image/jpeg"), ".gif": ptr("image/gif"), ".js": ptr("text/javascript"),
}

// put writes a file's bytes. It sets our time, which in a bubble differs from the system's.
func put(full string, b []byte) error {
	if err := os.WriteFile(full, b, 0o644); err != nil {
		return err
	}
	now := time.Now()
	return os.Chtimes(full, now, now)
}

// pythonBase64 encodes as base64.encodebytes does: in lines of 76 characters.
func pythonBase64(b []byte) string {
	text := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(text) > 0 {
		n := min(len(text), 76)
		out.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return out.String()
}

// errUnhandled is an exception that the server does not expect.
var errUnhandled = errors.New("unhandled error")

func unreadable(p string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return failed(http.StatusForbidden, "Permission denied: %s", p)
	}
	return errUnhandled
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func shorten(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}

func ptr[T any](v T) *T { return &v }
