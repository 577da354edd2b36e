package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/samber/lo"
)

// A Cell is the content of a cell's head line.
type Cell struct {
	// Index is the cell's position, from 0, or -1 if the cell does not exist.
	Index int
	// ID is the cell's id in calls.
	ID string
	// Type is the cell's type; "" and "code" are not written.
	Type string
	// Count is the execution count, or nil.
	Count *int
	// Says has further information; empty strings are not written.
	Says []string
}

// Name returns the cell's name for a sentence or a list: its index and its id.
func (c Cell) Name() string {
	if c.Index < 0 {
		return ID(c.ID)
	}
	return fmt.Sprintf("%d %s", c.Index, ID(c.ID))
}

// ID returns a cell's id for a line. Notebooks may have ids that nbformat does not allow: an id with spaces, or with
// characters that a line does not show, is quoted, so that its end is visible and it can be used unchanged.
func ID(id string) string {
	if odd := func(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) || r == '"' || r == ',' }; strings.ContainsFunc(id, odd) {
		return strconv.Quote(id)
	}
	return id
}

// Head returns the cell's head line, without the mark.
func (c Cell) Head() string {
	head := c.Name()
	if c.Index < 0 {
		head = " cell " + head // distinguishes it from other heads
	}
	if c.Count != nil {
		head += fmt.Sprintf(" [%d]", *c.Count)
	}
	if c.Type != "" && c.Type != "code" {
		head += " " + c.Type
	}
	says := lo.Compact(c.Says)
	if len(says) > 0 {
		head += " " + strings.Join(says, ", ")
	}
	return head
}

// Source returns the block of a cell with its source.
func Source(c Cell, source string) Block {
	if Hides(source) {
		c.Says = append(c.Says, "with hidden characters")
	}
	return Block{Head: c.Head(), Body: source}
}
