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

// An id of 36 characters costs a model as many tokens as a line of code. So answers may show the beginning of an id, and
// a call may give any beginning that fits one cell. A beginning must never come to mean another cell: those that the
// client was shown and that are gone count as if they were there.

const (
	// shortID is the fewest characters of an id that are shown in its place.
	shortID = 4
	// fitsShown is how many cells an error names that an id fits.
	fitsShown = 5
)

// An UnknownCellError says that an id is neither a cell's id nor the beginning of one.
type UnknownCellError struct {
	what, id string
	count    int
}

// Error implements error.
func (e *UnknownCellError) Error() string {
	return fmt.Sprintf("%s: there is no cell with the id %s, it may have been deleted: read the cells again; %s", e.what, textfmt.Quoted(e.id), Holds(e.count))
}

// Find returns the index among v.Now of the cell with an id, or of the only one whose id begins so. what is the name of
// the argument. [Theirs] is the cell of a person. An id of no cell is an [*UnknownCellError].
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
	case len(gone) > 0 && (gone[0] == id || len(fits) == 0): // sorted, so that the id itself is the first
		return 0, v.deleted(what, gone[0])
	case len(gone)+len(fits) > 1:
		return 0, v.ambiguous(what, id, fits, gone)
	case len(fits) == 0:
		return 0, &UnknownCellError{what, id, len(v.Now)}
	}
	return fits[0], nil
}

// gone returns the ids, sorted, that begin so, of cells that the client was shown and that are no more.
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

// deleted refuses the id of a cell that is gone.
func (v View) deleted(what, id string) error {
	by, around := " by somebody else", ""
	if at := slices.IndexFunc(v.Listed, func(c ydoc.Cell) bool { return c.ID == id }); at >= 0 {
		around = "; " + v.around(at)
	} else if !slices.Contains(v.known, id) {
		by = "" // it may have been this client
	}
	return fmt.Errorf("%s: the cell that you were shown with the id %s was deleted%s%s: read the cells again; nothing was changed", what, textfmt.Quoted(id), by, around)
}

// ambiguous refuses an id that fits several cells, of which some may be gone.
func (v View) ambiguous(what, id string, fits []int, gone []string) error {
	if v.list != nil {
		v.list(fits[:min(fitsShown, len(fits))]...)
	}
	short := v.ShortIDs()
	parts := lo.Map(fits, func(i int, _ int) string {
		return fmt.Sprintf("%d is %s (%s)", i, textfmt.Quoted(short(v.Now[i].ID)), textfmt.Quoted(firstLine(v.Now[i])))
	})
	for _, id := range gone {
		parts = append(parts, textfmt.Quoted(short(id))+" was deleted")
	}
	if more := len(parts) - fitsShown; more > 0 {
		parts = append(parts[:fitsShown], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s: the id %s fits several cells that you may mean: %s; give more of the id; nothing was changed", what, textfmt.Quoted(id), strings.Join(parts, ", "))
}

// twins refuses an nbformat id that several cells have.
func (v View) twins(what, id string, at []int) error {
	if v.list != nil {
		v.list(at...)
	}
	return fmt.Errorf("%s: %s; give one of these ids; nothing was changed", what, Twins(v.Now, id, at))
}

// Twins lists the cells at the indexes, which have one nbformat id, with the id that names each.
func Twins(cells []ydoc.Cell, id string, at []int) string {
	parts := lo.Map(at, func(at int, _ int) string {
		return fmt.Sprintf("index %d is %s (%s)", at, textfmt.Quoted(cells[at].Exactly()), textfmt.Quoted(firstLine(cells[at])))
	})
	return fmt.Sprintf("%d cells of the notebook have the id %s: %s", len(at), textfmt.Quoted(id), strings.Join(parts, ", "))
}

// ShortIDs returns the function that gives, for the id of a cell of the view, the beginning of at least four characters
// that fits no other, be it there or gone: [View.Find] takes it for that cell, and after any deletion for none but that.
// It is the whole id where that has no more characters or another begins with it. The function shortens the ids in also,
// too, which may be of cells that came after the view was made.
func (v View) ShortIDs(also ...string) func(id string) string {
	ids := append(v.gone(""), also...)
	for _, c := range v.Now {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := make(map[string]string, len(ids))
	before := 0 // what an id has in common with the one before, in bytes
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

// common is how many bytes two ids begin with alike.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// cutID cuts an id after the character that tells it from all others, with which it has so many bytes in common.
func cutID(id string, shared int) string {
	end := 0
	for n := 0; end < len(id) && (n < shortID || end <= shared); n++ {
		_, size := utf8.DecodeRuneInString(id[end:])
		end += size
	}
	return id[:end]
}
