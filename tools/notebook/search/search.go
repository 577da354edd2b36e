// Package search has the tool that searches notebooks.
package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/listcache"
	nbsearch "github.com/nbduet/nbduet/session/service/search"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

type searchArgs struct {
	Query  string `json:"query,omitempty" jsonschema:"Text to find; case is ignored. Left out with in errors: all of them." validate:"max=1000"`
	Regexp bool   `json:"regexp,omitempty" jsonschema:"query is a regular expression (RE2)." default:"false"`
	Path   string `json:"path,omitempty" jsonschema:"Notebook, or folder with everything below it." validate:"max=path" default:""`
	In     string `json:"in,omitempty" validate:"oneof=sources outputs headings errors all" default:"sources"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The next_cursor of an answer, to continue it." validate:"min=1,max=8192"`
}

// A Result is the answer of search.
type Result struct {
	Notebooks []Notebook `json:"notebooks" jsonschema:"Those with matches, sorted by path."`
	Revision  string     `json:"revision,omitempty" changes:"the one notebook's content"`
	Matches   int        `json:"matches" jsonschema:"Matching lines in this answer."`
	Searched  int        `json:"searched" jsonschema:"Notebooks that this call searched."`
	Message   string     `json:"message,omitempty" jsonschema:"Notebooks and folders that were not searched, and why."`
	Next      string     `json:"next_cursor,omitempty" jsonschema:"If there may be more: the cursor for the next call."`
}

// A Notebook is a notebook with matches.
type Notebook struct {
	Path      string `json:"path"`
	CellCount int    `json:"cell_count"`
	Revision  string `json:"revision,omitempty" changes:"the notebook's content"`
	Saved     bool   `json:"saved,omitempty" jsonschema:"Whether this is the file on disk: the notebook is not open here."`
	Hits      []Hit  `json:"hits"`
}

// A Hit is a group of lines with matches.
type Hit struct {
	Index   int      `json:"cell_index"`
	ID      string   `json:"cell_id"`
	Output  *int     `json:"output,omitempty" jsonschema:"The output with the lines; absent for the source."`
	Line    int      `json:"line" jsonschema:"Number of the first line, from 1."`
	Lines   []string `json:"lines" jsonschema:"With two lines around each match."`
	Matches []int    `json:"matches" jsonschema:"Numbers of the lines in which a match begins."`
}

// Tool makes search.
func Tool(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "search",
		Title:       "Search notebooks",
		Toolset:     tool.ToolsetPair,
		Description: "Finds text in the cells of a notebook, or of all notebooks below a folder: in sources, outputs, headings, or failed cells. Use it to find a definition or an error without reading every cell. Open notebooks are searched as they are now, others as saved.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[Result](nil),
		Call: tool.Typed(func(ctx context.Context, args searchArgs) (*tool.Answer, error) {
			q, from, err := args.query()
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(args.Path, ".ipynb") {
				return searchOne(ctx, d, args.Path, q, from)
			}
			return searchFolder(ctx, d, args.Path, q, from)
		}),
	}
}

// query returns the query and the place to begin at, nil for the beginning.
func (a searchArgs) query() (q nbsearch.Query, from *nbsearch.Cursor, err error) {
	q.In = nbsearch.Part(a.In)
	if a.In == "" {
		q.In = nbsearch.Sources
	}
	switch {
	case a.Query != "":
		q.Pattern, err = nbsearch.Compile("query", a.Query, a.Regexp)
	case q.In != nbsearch.Errors:
		err = errors.New("query is missing: give the text to find, or in \"errors\" to list failed cells")
	}
	if !a.Regexp {
		q.Literal = textfmt.Lines(a.Query)
	}
	if err == nil && a.Cursor != "" {
		from = &nbsearch.Cursor{}
		if !tool.DecodeCursor(a.Cursor, from) || from.Cell < 0 || from.Output < -1 || from.Line < 0 {
			err = errors.New("unknown cursor: pass the next_cursor of an earlier search unchanged, with the same other arguments, or none to start again")
		}
	}
	return q, from, err
}

// searchOne searches a notebook, which it opens.
func searchOne(ctx context.Context, d *deps.Deps, path string, q nbsearch.Query, from *nbsearch.Cursor) (*tool.Answer, error) {
	doc, err := d.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	start := nbsearch.Start
	if from != nil {
		start = from.Place
	}
	found := nbsearch.Found{Searched: 1}
	one, next := nbsearch.One(doc, q, start)
	if len(one.Hits) > 0 {
		found.Notebooks = []nbsearch.Notebook{one}
	}
	if next != nil {
		found.Next = &nbsearch.Cursor{Path: doc.Path().String(), Place: *next}
	}
	return foundAnswer(ctx, doc, found)
}

// searchFolder searches the notebooks below a folder.
func searchFolder(ctx context.Context, d *deps.Deps, path string, q nbsearch.Query, from *nbsearch.Cursor) (*tool.Answer, error) {
	root, err := target.FolderArg("path", path)
	if err != nil {
		return nil, err
	}
	found, err := nbsearch.New(d.Manager, d.Walk).Folder(ctx, root, q, from, func(done, total int) {
		tool.Progress(ctx, float64(done), fmt.Sprintf("%d of %s searched", done, textfmt.Plural(total, "notebook")))
	})
	if errors.Is(err, listcache.ErrNotFolder) {
		return nil, fmt.Errorf("path %s is a file, and only notebooks are searched%s", textfmt.Quoted(path), textfmt.Hint(": read it with get_document_content"))
	}
	if err != nil {
		return nil, err
	}
	return foundAnswer(ctx, nil, found)
}

// foundAnswer writes the hits. The client then knows the indexes of the cells with hits.
func foundAnswer(ctx context.Context, doc *session.Document, found nbsearch.Found) (*tool.Answer, error) {
	out := Result{Notebooks: []Notebook{}, Searched: found.Searched, Message: unsearched(found)}
	for _, nb := range found.Notebooks {
		one := Notebook{Path: nb.Path.String(), CellCount: len(nb.Cells), Saved: nb.Open == nil}
		view := target.View{Now: nb.Cells}
		if nb.Open != nil {
			one.Revision = target.Revision(nb.Revision)
			view = target.ViewOf(ctx, nb.Open)
			indexes := indexesOf(nb.Hits)
			nb.Open.As(tool.ClientOf(ctx)).List(nb.Cells, indexes...)
			target.TouchCells(ctx, nb.Open, lo.Map(indexes, func(at, _ int) ydoc.Cell { return nb.Cells[at] }))
			if doc != nil {
				out.Revision = one.Revision
			}
		}
		short := view.ShortIDs()
		for _, h := range nb.Hits {
			hit := Hit{Index: h.Index, ID: h.ID, Line: h.First, Lines: h.Lines}
			if tool.InWords(ctx) {
				hit.ID = short(h.ID)
			}
			if h.Output >= 0 {
				hit.Output = &h.Output
			}
			for _, m := range h.Matches {
				hit.Matches = append(hit.Matches, h.First+m)
			}
			out.Matches += len(h.Matches)
			one.Hits = append(one.Hits, hit)
		}
		out.Notebooks = append(out.Notebooks, one)
	}
	var err error
	if found.Next != nil {
		if out.Next, err = tool.EncodeCursor(found.Next); err != nil {
			return nil, err
		}
	}
	return &tool.Answer{Body: &out, Doc: deps.About(doc), Words: tool.Words(ctx, out.words)}, nil
}

func indexesOf(hits []nbsearch.Hit) []int {
	return slices.Compact(lo.Map(hits, func(h nbsearch.Hit, _ int) int { return h.Index }))
}

// unsearched says which notebooks and folders were not searched, and why.
func unsearched(found nbsearch.Found) string {
	const named = 3
	var parts []string
	for _, path := range slices.SortedFunc(maps.Keys(found.Broken), jupyter.Path.Compare) {
		parts = append(parts, fmt.Sprintf("%s: %v", textfmt.Quoted(path.String()), found.Broken[path]))
	}
	if more := len(parts) - named; more > 0 {
		parts = append(parts[:named], fmt.Sprintf("and %d more", more))
	}
	if len(parts) > 0 {
		parts = []string{textfmt.Plural(len(found.Broken), "notebook") + " could not be read: " + strings.Join(parts, "; ")}
	}
	if note := found.Note.String(); note != "" {
		parts = append(parts, note)
	}
	return strings.Join(parts, ". ")
}

// words returns the lines that were found, as grep -n -C2 writes them, below the heads of their cells.
func (r *Result) words() plaintext.Text {
	t := plaintext.Text{First: fmt.Sprintf("%s in %s, of %d searched", textfmt.Plural(r.Matches, "match"), textfmt.Plural(len(r.Notebooks), "notebook"), r.Searched)}
	if r.Matches == 0 {
		t.First = "no match in " + textfmt.Plural(r.Searched, "notebook") + lo.Ternary(r.Next != "", ", and more are to be searched", "")
	}
	for _, nb := range r.Notebooks {
		head := " " + nb.Path + ", " + textfmt.Plural(nb.CellCount, "cell")
		if nb.Revision != "" {
			head += ", revision " + nb.Revision
		}
		t.Add(plaintext.Block{Head: head})
		for i, h := range nb.Hits {
			body := h.numbered()
			if i > 0 && h.beside(nb.Hits[i-1]) {
				last := &t.Blocks[len(t.Blocks)-1]
				last.Body += "\n--\n" + body
				continue
			}
			c := plaintext.Cell{Index: h.Index, ID: h.ID}
			if h.Output != nil {
				c.Says = []string{fmt.Sprintf("output %d", *h.Output)}
			}
			t.Add(plaintext.Block{Head: c.Head(), Body: body})
		}
	}
	if t.Note(r.Message); r.Next != "" {
		t.Note("next_cursor " + r.Next)
	}
	return t
}

// beside reports whether both are in the same text.
func (h Hit) beside(other Hit) bool {
	return h.Index == other.Index && (h.Output == nil) == (other.Output == nil) && (h.Output == nil || *h.Output == *other.Output)
}

// numbered returns the lines with their numbers: "12:" before a match, "13-" before another line.
func (h Hit) numbered() string {
	out := make([]string, len(h.Lines))
	for i, line := range h.Lines {
		mark := "-"
		if slices.Contains(h.Matches, h.Line+i) {
			mark = ":"
		}
		out[i] = fmt.Sprint(h.Line+i, mark, line)
	}
	return strings.Join(out, "\n")
}
