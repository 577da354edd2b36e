package notebook

import (
	"errors"
	"slices"

	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// MaxCursor bounds a cursor, in characters.
const MaxCursor = 65_536

// A cursor is the place where an answer of read_nb_cells or notebook_get ended. It is opaque to clients. It also has the
// next cell's id, so that the next call finds the cell after others have inserted or deleted cells before it.
type cursor struct {
	At   int         `json:"at"`
	ID   string      `json:"id"`
	Left []indexSpan `json:"left,omitempty"` // nil: all cells from At on
}

type indexSpan struct {
	Start int `json:"s"`
	End   int `json:"e"`
}

// nextCursor names the cells that did not fit; "" if all did. whole means to read to the notebook's end at the time of the
// next call.
func nextCursor(left []int, cells []ydoc.Cell, whole bool) (string, error) {
	if len(left) == 0 {
		return "", nil
	}
	c := cursor{At: left[0], ID: cells[left[0]].ID}
	if !whole {
		c.Left = spans(left)
	}
	return tool.EncodeCursor(c)
}

var errCursor = errors.New("unknown cursor: pass the next_cursor of an earlier read unchanged, or none to start at the first cell")

func parseCursor(s string) (c cursor, err error) {
	if !tool.DecodeCursor(s, &c) || c.At < 0 || c.At > tool.MaxIndex || len(c.Left) > tool.MaxIndex {
		return cursor{}, errCursor
	}
	for _, span := range c.Left {
		if span.Start < 0 || span.End < span.Start || span.End > tool.MaxIndex {
			return cursor{}, errCursor
		}
	}
	return c, nil
}

// wholeReading reports whether a call reads to the end of the notebook.
func wholeReading(args ReadArgs) bool {
	if args.Cursor == "" {
		return args.Ranges == nil
	}
	c, err := parseCursor(args.Cursor)
	return err == nil && c.Left == nil
}

// cellsToRead returns the indexes of the cells that a call of read_nb_cells requests, and a note if the cell at its cursor
// has been deleted.
func cellsToRead(args ReadArgs, v target.View) (indexes []int, note string, err error) {
	switch {
	case args.Cursor != "" && args.Ranges != nil:
		return nil, "", errors.New("cursor and ranges are both given: give only one of them, because a cursor continues where an answer ended")
	case args.Cursor != "":
		c, err := parseCursor(args.Cursor)
		if err != nil {
			return nil, "", err
		}
		indexes, note = c.resume(v.Now)
		return indexes, note, nil
	case args.Ranges != nil:
		indexes, err = target.Resolve(args.Ranges, v)
		return indexes, "", err
	}
	for i := range v.Now {
		indexes = append(indexes, i)
	}
	return indexes, "", nil
}

// resume finds the cells that a cursor names, if they still exist.
func (c cursor) resume(cells []ydoc.Cell) (indexes []int, note string) {
	shift := 0
	if at := slices.IndexFunc(cells, func(now ydoc.Cell) bool { return now.ID == c.ID }); at >= 0 {
		shift = at - c.At
	} else {
		note = "the cell at the cursor was deleted, so this answer continues at the same index: cells may be missing or repeated"
	}
	left := c.Left
	if left == nil {
		left = []indexSpan{{c.At, len(cells) - shift}}
	}
	named := make(map[int]bool)
	for _, span := range left {
		for i := max(0, span.Start+shift); i < min(len(cells), span.End+shift); i++ {
			if !named[i] {
				named[i] = true
				indexes = append(indexes, i)
			}
		}
	}
	return indexes, note
}

// spans converts ordered indexes to ranges.
func spans(indexes []int) []indexSpan {
	var out []indexSpan
	for _, i := range indexes {
		if n := len(out); n > 0 && out[n-1].End == i {
			out[n-1].End++
		} else {
			out = append(out, indexSpan{i, i + 1})
		}
	}
	return out
}
