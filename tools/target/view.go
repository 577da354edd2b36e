package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// A View is a notebook's cells, both as they are now and at the indexes that a client knows.
type View struct {
	Listed, Now []ydoc.Cell
	// known are the ids of the cells that the client was last shown, if Listed has others.
	known []string
	// left are the ids of cells that it was shown before that, see [readset.Reader.Left].
	left []string
	// show, if not nil, means that the client was shown none of the notebook, so that its indexes have no meaning. It
	// records that the client is shown count cells from an index on, and returns one whole cell, see
	// [readset.Reader.Reveal].
	show func(from, count, whole int, source *string) string
	// source is the new source of the named cell, nil if it gets none.
	source *string
	// theirs returns the cell that [Theirs] means.
	theirs func() (id string, err error)
	// again says that the same call was refused, and the client has been shown nothing else of the notebook since.
	again bool
	// list records that the client is shown the indexes of these cells of Now.
	list func(indexes ...int)
	// touched, if not nil, records the cells that are named in doc.
	touched *touched
	doc     *session.Document
}

// ViewOf returns the view that the client of ctx has of a notebook.
func ViewOf(ctx context.Context, doc *session.Document) View {
	reader := doc.As(tool.ClientOf(ctx))
	listed, now, known := reader.Listed()
	v := View{Listed: listed, Now: now, left: reader.Left(), theirs: theirCell(ctx, doc), doc: doc}
	v.list = func(indexes ...int) { reader.List(now, indexes...) }
	v.touched, _ = ctx.Value(touchedKey{}).(*touched)
	v.touched.see(doc)
	call := v.touched.fingerprint()
	v.again = reader.Refused(call)
	if !known {
		v.show = func(from, count, whole int, source *string) string {
			reader.ListRange(now, from, count)
			reader.Refuse(call)
			return reader.Reveal(now[whole], source)
		}
	}
	return v
}

// Writing returns the view for naming a cell that gets a new source.
func (v View) Writing(source string) View {
	v.source = &source
	return v
}

// ViewToRun returns the view for a call that runs cells without changing them: indexes from a client that was shown nothing
// of the notebook mean the current cells.
func ViewToRun(ctx context.Context, doc *session.Document) View {
	v := ViewOf(ctx, doc)
	v.show = nil
	return v
}

// ViewNow returns a view in which indexes mean the current cells, and ids the cells that the client knows by them.
func ViewNow(ctx context.Context, doc *session.Document) View {
	v := ViewToRun(ctx, doc)
	for _, c := range v.Listed {
		v.known = append(v.known, c.ID)
	}
	v.Listed, v.again = v.Now, false
	return v
}

// Again refuses a call by index that was just refused. what is the name of the argument.
func (v View) Again(what string) error {
	if !v.again {
		return nil
	}
	return fmt.Errorf("%s: this call was refused and is refused again, because its indexes do not refer to the cells as shown then: name the cell by its id, or read the notebook; nothing was done", what)
}

// At returns the cell that the client means by an index, which must be one of Listed. what is the name of the argument.
func (v View) At(index int, what string) (ydoc.Cell, error) {
	c := v.Listed[index]
	if err := v.Again(what); err != nil {
		return c, err
	}
	if v.show != nil {
		return c, v.introduce(index, what)
	}
	if !readset.Gone(c) {
		v.touch(c.ID)
		return c, nil
	}
	return c, fmt.Errorf("%s: the cell that you were shown at index %d (id %s) was deleted by someone else; %s: read the cells again; nothing was changed",
		what, index, textfmt.Quoted(c.ID), v.around(index))
}

// Known returns the index by which the client knows a cell of v.Now. A cell that it does not know is recorded as shown.
func (v View) Known(at int) int {
	if i := slices.IndexFunc(v.Listed, func(c ydoc.Cell) bool { return c.ID == v.Now[at].ID }); i >= 0 {
		return i
	}
	v.list(at)
	return at
}

// around names the cells beside a deleted cell.
func (v View) around(index int) string {
	var parts []string
	name := func(how string, c ydoc.Cell) {
		parts = append(parts, fmt.Sprintf("%s it is %s (%s)", how, textfmt.Quoted(c.ID), textfmt.Quoted(firstLine(c))))
	}
	for i := index - 1; i >= 0; i-- {
		if !readset.Gone(v.Listed[i]) {
			name("before", v.Listed[i])
			break
		}
	}
	for _, c := range v.Listed[index+1:] {
		if !readset.Gone(c) {
			name("after", c)
			break
		}
	}
	if len(parts) == 0 {
		return "so were the others that you know"
	}
	return strings.Join(parts, ", ")
}

// introduced is how many cells are shown to a client that names one by an index and was shown none.
const introduced = 5

// introduce refuses an index from a client that was shown nothing of the notebook, and shows it the cells around that index.
func (v View) introduce(index int, what string) error {
	from := max(0, min(index-introduced/2, len(v.Now)-introduced))
	var parts []string
	for i := from; i < min(from+introduced, len(v.Now)); i++ {
		parts = append(parts, fmt.Sprintf("%d is %s (%s)", i, textfmt.Quoted(v.Now[i].ID), textfmt.Quoted(firstLine(v.Now[i]))))
	}
	shown := v.show(from, introduced, index, v.source)
	if shown != "" {
		shown = fmt.Sprintf("\nOf index %d: %s", index, shown)
	}
	return fmt.Errorf("%s: an index refers to a cell as last shown to you, and you were shown none of this notebook: %s; nothing was done: name the cell by its id, or read the notebook%s",
		what, strings.Join(parts, ", "), strings.TrimSuffix(shown, "\n"))
}

func firstLine(c ydoc.Cell) string {
	line, _, _ := strings.Cut(c.Source, "\n")
	line, _ = textfmt.Cut(line, 60)
	return line
}
