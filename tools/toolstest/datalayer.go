package toolstest

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/tool"
)

// ResultAs is Result for another client.
func (r *Rig) ResultAs(who *tool.Client, mcp *client.Client, name string, args Dict) []string {
	r.T.Helper()
	was := r.Client
	r.Client, r.Who = mcp, who
	defer func() { r.Client, r.Who = was, nil }()
	return r.Result(name, args)
}

// Types makes a person change the only cell of a notebook, and waits until the change arrives here.
func (r *Rig) Types(person *Rig, path, source string) {
	r.T.Helper()
	person.UpToDate(path) // otherwise both may change unseen text of the other
	revision := person.Read(path).Cells[0].Revision
	person.Good("modify_nb_cells", Dict{"path": path, "exec": false, "modifications": []Dict{{"range": Dict{"start": 0}, "content": source, "revision": revision}}}, nil)
	doc, err := r.Work.Open(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		switch c, _ := doc.Notebook().CellAt(0); {
		case c.Source == source:
			return
		case time.Now().After(end):
			r.T.Fatalf("the cell still is %q", c.Source)
		}
	}
}

// Worked returns the outputs without the line about the elapsed time, which must be present.
func (r *Rig) Worked(list []string) []string {
	r.T.Helper()
	n := len(list) - 1
	if n < 0 || !strings.HasPrefix(list[n], "[COMPLETED in ") || !strings.HasSuffix(list[n], "s]") {
		r.T.Fatalf("%q does not end with the time it took", list)
	}
	list = list[:n]
	return slices.DeleteFunc(list, progressLine.MatchString) // present if it took long
}

var progressLine = regexp.MustCompile(`^\[(PROGRESS: |[0-9.]+s\] [0-9]+ new output)`)

// Lists compares the texts and images of an answer with the expected ones.
func (r *Rig) Lists(got []string, want ...string) {
	r.T.Helper()
	if !slices.Equal(got, want) {
		r.T.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// Said calls a tool that must succeed and returns its first text.
func (r *Rig) Said(name string, args Dict) string {
	r.T.Helper()
	return MessageOf(r.Good(name, args, nil))
}

// Result returns the list of texts and images of a tool's answer; an image is represented by its type.
func (r *Rig) Result(name string, args Dict) (out []string) {
	r.T.Helper()
	for _, item := range r.Good(name, args, nil).Content {
		switch item := item.(type) {
		case mcp.TextContent:
			if !strings.HasPrefix(item.Text, fileWarning) && !isRevision(item.Text) && !isNote(item.Text) {
				out = append(out, item.Text)
			}
		case mcp.ImageContent:
			out = append(out, item.Type+" "+item.MIMEType)
		}
	}
	return out
}

// Use makes a notebook the current one, as "nb".
func (r *Rig) Use(sources ...string) string {
	r.T.Helper()
	path := r.Server.Notebook(r.T, sources...)
	r.Said("use_notebook", Dict{"notebook_name": "nb", "notebook_path": path})
	return path
}

// Wants compares a text with the expected one.
func (r *Rig) Wants(got, want string) {
	r.T.Helper()
	if got != want {
		r.T.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
