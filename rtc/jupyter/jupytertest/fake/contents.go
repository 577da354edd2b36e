package fake

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing/fstest"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/nbjson"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// sent is a client's request to write a file or folder.
type sent struct {
	Type     string          `json:"type"`
	Format   string          `json:"format"`
	Content  json.RawMessage `json:"content"`
	Path     *string         `json:"path"`
	CopyFrom string          `json:"copy_from"`
	Ext      string          `json:"ext"`
}

// contents serves /api/contents; rest is the escaped path of the file.
func (s *Server) contents(w http.ResponseWriter, r *http.Request, rest string) {
	p, err := url.PathUnescape(strings.Trim(rest, "/"))
	if err != nil || rest != "" && rest[0] != '/' {
		page(w, http.StatusNotFound)
		return
	}
	var m model
	status := http.StatusOK
	switch r.Method {
	case http.MethodGet:
		m, err = s.readContents(p, r.URL.Query())
	case http.MethodPut:
		m, status, err = s.putContents(p, r)
	case http.MethodPost:
		m, err = s.copyContents(p, r)
		status = http.StatusCreated
	case http.MethodPatch:
		m, err = s.renameContents(p, r)
	case http.MethodDelete:
		if err = s.deleteContents(p); err == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	default:
		page(w, http.StatusMethodNotAllowed)
		return
	}
	var e *httpError
	switch {
	case errors.As(err, &e) && r.Method == http.MethodGet && e.status == http.StatusNotFound:
		// In this case the real handler writes plain text with the content type of JSON.
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, "file or directory %s does not exist", repr("/"+p))
	case err != nil:
		fail(w, err)
	default:
		if r.Method != http.MethodGet {
			w.Header().Set("Location", s.base()+"/api/contents/"+(&url.URL{Path: m.Path}).EscapedPath())
		}
		m.Content = pyjson.Literals(m.Content)
		answer(w, status, m)
	}
}

func (s *Server) readContents(p string, q url.Values) (model, error) {
	ask := query{typ: q.Get("type"), format: q.Get("format"), content: q.Get("content") != "0", hash: q.Get("hash") == "1"}
	if ask.typ != "" && ask.typ != "directory" && ask.typ != "notebook" {
		ask.typ = "file"
	}
	if ask.format != "" && ask.format != "text" && ask.format != "base64" {
		return model{}, failed(http.StatusBadRequest, "Format %s is invalid", repr(ask.format))
	}
	return s.files.get(p, ask)
}

// putContents writes a file or makes a folder.
func (s *Server) putContents(p string, r *http.Request) (model, int, error) {
	var in sent
	if err := body(r, &in); err != nil {
		return model{}, 0, err
	}
	full, err := s.files.place(p)
	if err != nil {
		return model{}, 0, err
	}
	if hidden(p) {
		return model{}, 0, failed(http.StatusBadRequest, "Cannot create file or directory %s", repr("/"+p))
	}
	if in.Type == "" {
		return model{}, 0, failed(http.StatusBadRequest, "No file type provided")
	}
	status := http.StatusCreated
	if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
		status = http.StatusOK
	}
	if in.Type == "directory" {
		err = makeFolder(p, full)
	} else {
		err = s.writeFile(p, full, in)
	}
	if err != nil {
		return model{}, 0, err
	}
	m, err := s.files.get(p, query{})
	s.tell("save", p, "")
	return m, status, err
}

func makeFolder(p, full string) error {
	info, err := os.Stat(full)
	switch {
	case err == nil && !info.IsDir():
		return failed(http.StatusBadRequest, "Not a directory: %s", full)
	case err == nil:
		return nil
	}
	return wrote(p, os.Mkdir(full, 0o755))
}

func (s *Server) writeFile(p, full string, in sent) error {
	if len(in.Content) == 0 {
		in.Content = json.RawMessage(`""`)
	}
	if in.Type == "notebook" {
		b, err := s.signed(in.Content)
		if err != nil {
			return failed(http.StatusInternalServerError, "Unexpected error while saving file: %s %v", p, err)
		}
		return wrote(p, put(full, b))
	}
	var text string
	if err := json.Unmarshal(in.Content, &text); err != nil {
		return failed(http.StatusInternalServerError, "Unexpected error while saving file: %s %v", p, err)
	}
	b := []byte(text)
	switch in.Format {
	case "text":
	case "base64":
		var err error
		if b, err = base64.StdEncoding.DecodeString(text); err != nil {
			return failed(http.StatusBadRequest, "Encoding error saving %s: %v", full, err)
		}
	default:
		return failed(http.StatusBadRequest, "Must specify format of file contents as 'text' or 'base64'")
	}
	return wrote(p, put(full, b))
}

// signed returns the file of a notebook from a client. It is signed if the client trusts it.
func (s *Server) signed(content []byte) ([]byte, error) {
	nb, err := nbjson.Parse(content)
	if err != nil {
		return nil, err
	}
	if err := s.files.notary.Sign(nb); err != nil {
		return nil, err
	}
	return nbjson.Write(nb)
}

// wrote returns the server's error for an error of the file system.
func wrote(p string, err error) error {
	var at *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission):
		return failed(http.StatusForbidden, "Permission denied: %s", p)
	case errors.As(err, &at) && errors.Is(err, fs.ErrNotExist):
		return failed(http.StatusInternalServerError, "Unexpected error while saving file: %s [Errno 2] No such file or directory: %s", p, repr(at.Path))
	}
	return failed(http.StatusInternalServerError, "Unexpected error while saving file: %s %v", p, err)
}

// copyContents copies a file into a folder, under an unused name.
func (s *Server) copyContents(folder string, r *http.Request) (model, error) {
	var in sent
	if err := body(r, &in); err != nil {
		return model{}, err
	}
	to, err := s.files.place(folder)
	if err != nil {
		return model{}, err
	}
	if info, err := os.Stat(to); err == nil && info.Mode().IsRegular() {
		return model{}, failed(http.StatusBadRequest, "Cannot POST to files, use PUT instead.")
	}
	from := strings.Trim(in.CopyFrom, "/")
	if from == "" || hidden(from) || hidden(folder) {
		return model{}, failed(http.StatusBadRequest, "Cannot copy file or directory %s", repr("/"+folder))
	}
	source, err := s.files.place(from)
	if err != nil {
		return model{}, err
	}
	info, err := os.Stat(source)
	if err != nil {
		return model{}, failed(http.StatusNotFound, "No such file or directory: %s", from)
	}
	target := strings.Trim(folder, "/")
	if into, err := os.Stat(to); err == nil && into.IsDir() {
		if target, err = s.copyName(from, target, info.IsDir()); err != nil {
			return model{}, err
		}
	}
	if to, err = s.files.place(target); err != nil {
		return model{}, err
	}
	if info.IsDir() {
		err = os.CopyFS(to, snapshot(source))
	} else {
		err = s.copyFile(from, source, to)
	}
	if err != nil {
		return model{}, err
	}
	s.tell("save", target, "")
	s.tell("copy", strings.Trim(folder, "/")+"/"+path.Base(target), from)
	return s.files.get(target, query{})
}

// copyFile copies a file; a notebook is parsed and written again.
func (s *Server) copyFile(from, source, to string) error {
	b, err := os.ReadFile(source)
	if err != nil {
		return unreadable(from, err)
	}
	if strings.HasSuffix(from, ".ipynb") {
		nb, err := s.files.parseNotebook(source, b)
		if err != nil {
			return err
		}
		if b, err = nbjson.Write(nb); err != nil {
			return failed(http.StatusInternalServerError, "Unexpected error while saving file: %s %v", from, err)
		}
	}
	return wrote(from, put(to, b))
}

// copyName returns the path of a copy in a folder: the file's own name if it is unused, else with a number.
func (s *Server) copyName(from, folder string, isFolder bool) (string, error) {
	name := path.Base(from)
	ext := ""
	if !isFolder {
		ext = path.Ext(name)
	}
	stem := strings.TrimSuffix(name, ext)
	if i := strings.LastIndex(stem, "-Copy"); i >= 0 && strings.Trim(stem[i+5:], "0123456789") == "" {
		stem = stem[:i]
	}
	for i := 0; ; i++ {
		name := stem + ext
		if i > 0 {
			name = fmt.Sprintf("%s-Copy%d%s", stem, i, ext)
		}
		p := strings.Trim(folder+"/"+name, "/")
		full, err := s.files.place(p)
		if err != nil {
			return "", err
		}
		if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
			return p, nil
		}
	}
}

// snapshot returns a folder's files before the copy.
func snapshot(folder string) fs.FS {
	files := fstest.MapFS{}
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what cannot be read is left out
		}
		rel, err := filepath.Rel(folder, p)
		if err != nil {
			return nil //nolint:nilerr // it is below
		}
		if b, err := os.ReadFile(p); err == nil {
			files[filepath.ToSlash(rel)] = &fstest.MapFile{Data: b, Mode: 0o644}
		}
		return nil
	})
	return files
}

func (s *Server) renameContents(p string, r *http.Request) (model, error) {
	var in sent
	if err := body(r, &in); err != nil {
		return model{}, err
	}
	if in.Path == nil {
		return s.files.get(p, query{})
	}
	to := strings.Trim(*in.Path, "/")
	if hidden(p) || hidden(to) {
		return model{}, failed(http.StatusBadRequest, "Cannot rename file or directory %s", repr("/"+p))
	}
	was, err := s.files.place(p)
	if err != nil {
		return model{}, err
	}
	becomes, err := s.files.place(to)
	if err != nil {
		return model{}, err
	}
	if p != to {
		if _, err := os.Stat(path.Dir(becomes)); err != nil {
			return model{}, errUnhandled
		}
		if _, err := os.Lstat(becomes); err == nil {
			return model{}, failed(http.StatusConflict, "File already exists: %s", to)
		}
		switch err := os.Rename(was, becomes); {
		case errors.Is(err, fs.ErrNotExist):
			return model{}, failed(http.StatusNotFound, "File or directory does not exist: %s", p)
		case errors.Is(err, fs.ErrPermission):
			return model{}, failed(http.StatusForbidden, "Permission denied: %s", p)
		case errors.Is(err, syscall.ENOTDIR):
			return model{}, errUnhandled
		case err != nil:
			return model{}, failed(http.StatusInternalServerError, "Unknown error renaming file: %s %v", p, err)
		}
		s.ids.rename(p, to)
		s.tell("rename", to, p)
	}
	return s.files.get(to, query{})
}

func (s *Server) deleteContents(p string) error {
	if p == "" {
		return failed(http.StatusBadRequest, "Can't delete root")
	}
	if hidden(p) {
		return failed(http.StatusBadRequest, "Cannot delete file or directory %s", repr("/"+p))
	}
	full, err := s.files.place(p)
	if err != nil {
		return err
	}
	if _, err := os.Stat(full); err != nil {
		return failed(http.StatusNotFound, "File or directory does not exist: %s", full)
	}
	if err := os.RemoveAll(full); err != nil {
		return failed(http.StatusForbidden, "Permission denied: %s", p)
	}
	s.ids.remove(p)
	s.tell("delete", p, "")
	return nil
}
