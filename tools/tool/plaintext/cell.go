package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/samber/lo"
)

// A Cell is what a head line says of a cell.
type Cell struct {
	// Index is the cell's position, from 0; -1 if the cell is not there.
	Index int
	// ID is what the cell is named by in calls.
	ID string
	// Type is the cell's type; "" and "code" are not said.
	Type string
	// Count is the execution count, or nil.
	Count *int
	// Says is what else there is to say of the cell; empty ones are not said.
	Says []string
}

// Name names the cell in a sentence or a list: its index and its id.
func (c Cell) Name() string {
	if c.Index < 0 {
		return ID(c.ID)
	}
	return fmt.Sprintf("%d %s", c.Index, ID(c.ID))
}

// ID is a cell's id as a line shows it. Notebooks may have ids that nbformat does not allow: one with blanks, or with
// characters that a line does not show, is quoted, so that it is seen where it ends and can be given back as it is.
func ID(id string) string {
	if odd := func(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) || r == '"' || r == ',' }; strings.ContainsFunc(id, odd) {
		return strconv.Quote(id)
	}
	return id
}

// Head is the cell's head line, without the mark.
func (c Cell) Head() string {
	head := c.Name()
	if c.Index < 0 {
		head = " cell " + head // not to be taken for another kind of head
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

// Source is the block of a cell with its source.
func Source(c Cell, source string) Block {
	if Hides(source) {
		c.Says = append(c.Says, "with hidden characters")
	}
	return Block{Head: c.Head(), Body: source}
}
