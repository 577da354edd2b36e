package toolstest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/document"
)

// EventuallyText waits until the room of a text has the wanted content, without showing it to the rig's client.
func (r *Rig) EventuallyText(path, want string) {
	r.T.Helper()
	doc, err := r.Work.OpenText(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	for end := time.Now().Add(time.Minute); doc.Text().String() != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.T.Fatalf("the room has %q, want %q", doc.Text().String(), want)
		}
	}
}

// Book returns the JSON of a notebook of code cells, each "id:source"; an id may be empty.
func Book(cells ...string) string {
	var list []string
	for _, c := range cells {
		id, source, _ := strings.Cut(c, ":")
		if id != "" {
			id = fmt.Sprintf(`"id":%q,`, id)
		}
		list = append(list, fmt.Sprintf(`{%s"cell_type":"code","source":%q,"metadata":{},"outputs":[],"execution_count":null}`, id, source))
	}
	return fmt.Sprintf(`{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"P"}},"cells":[%s]}`, strings.Join(list, ","))
}

// Book returns the notebook's cells as "id:source".
func (r *Rig) Book(path string) []string {
	r.T.Helper()
	var out []string
	for _, c := range r.Read(path).Cells {
		out = append(out, c.ID+":"+c.Source)
	}
	return out
}

// Written has the common members of the answers about edits of a text.
type Written struct {
	Message   string `json:"message"`
	Position  int    `json:"position"`
	Length    int    `json:"length"`
	NewLength int    `json:"new_length"`
	Removed   string `json:"removed_text"`
	Content   int    `json:"content_length"`
	Revision  string `json:"revision"`
	Merged    bool   `json:"merged"`
}

// Content returns a whole document, as the tool reads it.
func (r *Rig) Content(path string) document.ContentResult {
	r.T.Helper()
	var out document.ContentResult
	r.Good("get_document_content", Dict{"path": path, "max_content": document.MaxContent}, &out)
	return out
}

// TextFile writes a text file with a name unique to the test.
func (r *Rig) TextFile(content string) string {
	r.T.Helper()
	return r.Server.Write(r.T, r.Server.Name(r.T, " é#%?.md"), content)
}

// FileIs waits until the file on disk has the wanted content.
func (r *Rig) FileIs(path, want string) {
	r.T.Helper()
	for end := time.Now().Add(time.Minute); r.Server.Read(r.T, path) != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.T.Fatalf("%s holds %q, want %q", path, r.Server.Read(r.T, path), want)
		}
	}
}

// Folder makes a folder unique to the test.
func (r *Rig) Folder() string {
	r.T.Helper()
	dir := r.Server.Name(r.T, " mappe é#%?")
	if _, err := r.Srv.Contents.Put(r.T.Context(), jupyter.MustPath(dir), jupyter.NewContent{Type: "directory"}); err != nil {
		r.T.Fatal(err)
	}
	return dir
}

// Listing returns the names in a folder on disk, without hidden files.
func (r *Rig) Listing(dir string) (names []string) {
	r.T.Helper()
	list, err := os.ReadDir(filepath.Join(r.Server.Root, filepath.FromSlash(dir)))
	if err != nil {
		r.T.Fatal(err)
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}
