package target

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// An id of 36 characters costs a model as many tokens as a line of code. So answers may show the beginning of an id, and a
// call may give any beginning that fits one cell. A beginning must never come to mean another cell: deleted cells that the
// client was shown count as if they still existed.

const (
	// shortID is the minimum length of a shortened id, in characters.
	shortID = 4
	// fitsShown is the maximum number of matching cells that an error names.
	fitsShown = 5
)

// An UnknownCellError says that an id is neither a cell's id nor the beginning of one.
type UnknownCellError struct {
	what, id string
	count    int
}

// Error implements error.
func (e *UnknownCellError) Error() string {
	return fmt.Sprintf("%s: no cell with the id %s, it may have been deleted: read the cells again; %s", e.what, textfmt.Quoted(e.id), Holds(e.count))
}

// Find returns the index among v.Now of the cell with an id, or of the only cell whose id begins with it. what is the name
// of the argument. [Theirs] is the cell of a person. An id of no cell is an [*UnknownCellError].
func (v View) Find(id, what string) (int, error) {
	if v.isTheirs(id) {
		return v.findTheirs(what)
	}
	at, err := v.find(id, what)
	if err == nil {
		v.touch(v.Now[at].ID)
	}
	return at, err
}

func (v View) find(id, what string) (int, error) {
	if id == "" {
		return 0, &UnknownCellError{what, id, len(v.Now)}
	}
	gone := v.gone(id)
	switch at := ydoc.Named(v.Now, id); {
	case len(at) > 1:
		return 0, v.twins(what, id, at)
	case len(at) == 1 && (v.Now[at[0]].ID == id || !slices.Contains(gone, id)):
		return at[0], nil
	}
	fits := lo.FilterMap(v.Now, func(c ydoc.Cell, i int) (int, bool) { return i, strings.HasPrefix(c.ID, id) })
	switch {
	case len(gone) > 0 && (gone[0] == id || len(fits) == 0): // sorted, so the id itself comes first
		return 0, v.deleted(what, gone[0])
	case len(gone)+len(fits) > 1:
		return 0, v.ambiguous(what, id, fits, gone)
	case len(fits) == 0:
		return 0, &UnknownCellError{what, id, len(v.Now)}
	}
	return fits[0], nil
}

// gone returns the sorted ids with a prefix, of deleted cells that the client was shown.
func (v View) gone(prefix string) []string {
	ids := slices.Concat(v.known, v.left)
	for _, c := range v.Listed {
		if readset.Gone(c) {
			ids = append(ids, c.ID)
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" || !strings.HasPrefix(id, prefix) })
	if len(ids) == 0 {
		return nil
	}
	there := lo.SliceToMap(v.Now, func(c ydoc.Cell) (string, bool) { return c.ID, true })
	ids = slices.DeleteFunc(ids, func(id string) bool { return there[id] })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// deleted refuses the id of a deleted cell.
func (v View) deleted(what, id string) error {
	by, around := " by someone else", ""
	if at := slices.IndexFunc(v.Listed, func(c ydoc.Cell) bool { return c.ID == id }); at >= 0 {
		around = "; " + v.around(at)
	} else if !slices.Contains(v.known, id) {
		by = "" // perhaps by this client
	}
	return fmt.Errorf("%s: the cell that you were shown with the id %s was deleted%s%s: read the cells again; nothing was changed", what, textfmt.Quoted(id), by, around)
}

// ambiguous refuses an id that fits several cells, some of which may be deleted.
func (v View) ambiguous(what, id string, fits []int, gone []string) error {
	if v.list != nil {
		v.list(fits[:min(fitsShown, len(fits))]...)
	}
	short := v.ShortIDs()
	parts := lo.Map(fits, func(i int, _ int) string {
		return fmt.Sprintf("%d is %s (%s)", i, textfmt.Quoted(short(v.Now[i].ID)), textfmt.Quoted(firstLine(v.Now[i])))
	})
	parts = append(parts, lo.Map(gone, func(id string, _ int) string { return textfmt.Quoted(short(id)) + " was deleted" })...)
	if more := len(parts) - fitsShown; more > 0 {
		parts = append(parts[:fitsShown], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s: the id %s matches several cells that you may mean: %s; give more of the id; nothing was changed", what, textfmt.Quoted(id), strings.Join(parts, ", "))
}

// twins refuses an nbformat id that several cells have.
func (v View) twins(what, id string, at []int) error {
	if v.list != nil {
		v.list(at...)
	}
	return fmt.Errorf("%s: %s; give one of these ids; nothing was changed", what, Twins(v.Now, id, at))
}

// Twins lists the cells at the indexes, which have one nbformat id, each with an id that names it exactly.
func Twins(cells []ydoc.Cell, id string, at []int) string {
	parts := lo.Map(at, func(at int, _ int) string {
		return fmt.Sprintf("index %d is %s (%s)", at, textfmt.Quoted(cells[at].Exactly()), textfmt.Quoted(firstLine(cells[at])))
	})
	return fmt.Sprintf("%d cells of the notebook have the id %s: %s", len(at), textfmt.Quoted(id), strings.Join(parts, ", "))
}

// ShortIDs returns a function that shortens the id of a cell of the view to a prefix, of at least four characters, that fits
// no other cell, existing or deleted: [View.Find] takes it only for that cell, even after deletions. It returns the whole id
// if it is not longer or another id begins with it. The function also shortens the ids in also, which may belong to cells
// added after the view was made.
func (v View) ShortIDs(also ...string) func(id string) string {
	ids := slices.Concat(v.gone(""), also, lo.Map(v.Now, func(c ydoc.Cell, _ int) string { return c.ID }))
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := make(map[string]string, len(ids))
	before := 0 // length of the prefix in common with the previous id, in bytes
	for i, id := range ids {
		after := 0
		if i+1 < len(ids) {
			after = common(id, ids[i+1])
		}
		short[id] = cutID(id, max(before, after))
		before = after
	}
	return func(id string) string {
		if s, ok := short[id]; ok {
			return s
		}
		return id
	}
}

// common returns the length of the common prefix of two ids, in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// cutID cuts an id after the character that distinguishes it from all others; shared is the length of the longest common
// prefix in bytes.
func cutID(id string, shared int) string {
	end := 0
	for n := 0; end < len(id) && (n < shortID || end <= shared); n++ {
		_, size := utf8.DecodeRuneInString(id[end:])
		end += size
	}
	return id[:end]
}
