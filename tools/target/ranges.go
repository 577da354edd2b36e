package target

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// A CellRange names cells by position, among the cells that a client knows, or one cell by its id.
type CellRange struct {
	Start *int   `json:"start,omitempty" jsonschema:"From 0." validate:"max=index"`
	End   *int   `json:"end,omitempty" jsonschema:"Exclusive; left out: start alone." validate:"max=index"`
	ID    string `json:"id,omitempty" jsonschema:"One cell by id, instead." validate:"min=1,max=id,cellid"`
}

// String writes the range for messages.
func (r CellRange) String() string {
	switch {
	case r.Start == nil:
		return "id " + textfmt.Quoted(r.ID)
	case r.End == nil:
		return fmt.Sprintf("start %d", *r.Start)
	default:
		return fmt.Sprintf("start %d, end %d", *r.Start, *r.End)
	}
}

// Indexes returns the positions that r names: among v.Now if it has an id, else among v.Listed. A range past the end is cut,
// and the answer says so. what is the name of the argument.
func (r CellRange) Indexes(what string, v View) ([]int, error) {
	count := len(v.Listed)
	switch {
	case r.ID != "" && (r.Start != nil || r.End != nil):
		return nil, fmt.Errorf("%s has an id and start or end: name the cell by its id alone, or cells by start and end", what)
	case r.ID != "":
		at, err := v.Find(r.ID, what)
		return []int{at}, err
	case r.Start == nil:
		return nil, fmt.Errorf("%s lacks start: name cells by start (and end), or one cell by id; %s", what, Holds(count))
	}
	start, end := *r.Start, tool.ValueOr(r.End, *r.Start+1)
	switch {
	case start < 0 || end < 0:
		return nil, fmt.Errorf("%s (%s) is negative: indexes count from 0, and %s", what, r, Holds(count))
	case r.End != nil && end < start:
		return nil, fmt.Errorf("%s (%s) is reversed: end must be greater than start; %s", what, r, Holds(count))
	case r.End != nil && end == start:
		return nil, fmt.Errorf("%s (%s) is empty: end is exclusive, so the one cell at %d is start %d, end %d; %s",
			what, r, start, start, start+1, Holds(count))
	case start >= count:
		return nil, fmt.Errorf("%s (%s) is out of range: %s", what, r, Holds(count))
	case end > count:
		v.touched.note(fmt.Sprintf("%s (%s) was cut: %s", what, r, Holds(count)))
		end = count
	}
	out := make([]int, 0, end-start)
	for i := start; i < end; i++ {
		out = append(out, i)
	}
	return out, nil
}

// Cells returns the cells that r names.
func (r CellRange) Cells(what string, v View) ([]ydoc.Cell, error) {
	indexes, err := r.Indexes(what, v)
	if err != nil {
		return nil, err
	}
	if r.ID != "" {
		return []ydoc.Cell{v.Now[indexes[0]]}, nil
	}
	out := make([]ydoc.Cell, len(indexes))
	for i, at := range indexes {
		if out[i], err = v.At(at, what); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CellsOf returns the cells that the ranges name, in the order given, without duplicates.
func CellsOf(ranges []CellRange, v View) ([]ydoc.Cell, error) {
	return named(ranges, v, CellRange.Cells, func(c ydoc.Cell) string { return c.ID })
}

// named returns the results of find for the ranges, in the order given, without duplicates by key.
func named[T any, K comparable](ranges []CellRange, v View, find func(CellRange, string, View) ([]T, error), key func(T) K) ([]T, error) {
	if len(ranges) == 0 {
		return nil, errors.New("ranges is an empty list: name at least one range, such as {\"start\": 0}; " + Holds(len(v.Listed)))
	}
	var out []T
	seen := map[K]bool{}
	for i, r := range ranges {
		found, err := find(r, fmt.Sprintf("ranges[%d]", i), v)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			if k := key(one); !seen[k] {
				seen[k] = true
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// Holds says how many cells a notebook has and which indexes are valid.
func Holds(count int) string {
	switch count {
	case 0:
		return "the notebook has no cells"
	case 1:
		return "the notebook has 1 cell, index 0"
	default:
		return fmt.Sprintf("the notebook has %s, indexes 0 to %d", textfmt.Plural(count, "cell"), count-1)
	}
}

// Resolve returns the positions that the ranges name, in the order given, without duplicates. The view must have current
// indexes, see [ViewNow].
func Resolve(ranges []CellRange, v View) ([]int, error) {
	return named(ranges, v, CellRange.Indexes, func(at int) int { return at })
}
