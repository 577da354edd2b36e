// Package plaintest parses answers in words by their rule alone: the first line names the mark, or else the mark is "@@"; a
// line that begins with the mark is a head line; the lines between two head lines are a verbatim text.
package plaintest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Block is a head line, without the mark, and the text beneath it.
type Block struct{ Head, Body string }

// A Cell is a cell of an answer.
type Cell struct {
	Index      int
	ID, Source string
	// Count is the execution count, or 0.
	Count int
	// Says is the rest of the head line.
	Says string
	// Rest are the blocks of its outputs.
	Rest []Block
}

var (
	otherMark = regexp.MustCompile(` \(nbduet's own lines begin with (\S+) here\)$`)
	cellHead  = regexp.MustCompile(`^(\d+) ("(?:[^"\\]|\\.)*"|\S+)(?: \[(\d+)\])?(?: (.*))?$`)
	cursor    = regexp.MustCompile(`(?m)^.* ?next_cursor (\S+)$`)
)

// Mark returns the mark of an answer.
func Mark(answer string) string {
	first, _, _ := strings.Cut(answer, "\n")
	if m := otherMark.FindStringSubmatch(first); m != nil {
		return m[1]
	}
	return "@@"
}

// Parse returns the first line of an answer, without the note about the mark, or "", and the blocks. The last blocks may be
// notes.
func Parse(answer string) (first string, blocks []Block) {
	mark, lines := Mark(answer), strings.Split(answer, "\n")
	if !strings.HasPrefix(lines[0], mark) {
		first, lines = otherMark.ReplaceAllString(lines[0], ""), lines[1:]
	}
	var body []string
	for _, line := range slices.Backward(lines) {
		if head, ok := strings.CutPrefix(line, mark); ok {
			slices.Reverse(body)
			blocks = append(blocks, Block{head, strings.Join(body, "\n")})
			body = nil
			continue
		}
		body = append(body, line)
	}
	slices.Reverse(blocks)
	return first, blocks
}

// Cells returns the cells of an answer, and the cursor of the rest, or "".
func Cells(answer string) (cells []Cell, next string, err error) {
	_, blocks := Parse(answer)
	for i, b := range blocks {
		if strings.HasPrefix(b.Head, " ") {
			if m := cursor.FindStringSubmatch(b.Head); m != nil && i == len(blocks)-1 {
				next = m[1]
			} else if len(cells) > 0 {
				last := &cells[len(cells)-1]
				last.Rest = append(last.Rest, b)
			}
			continue
		}
		m := cellHead.FindStringSubmatch(b.Head)
		if m == nil {
			return nil, "", fmt.Errorf("%q is no head line of a cell", b.Head)
		}
		c := Cell{ID: m[2], Source: b.Body, Says: m[4]}
		if strings.HasPrefix(c.ID, `"`) {
			if c.ID, err = strconv.Unquote(c.ID); err != nil {
				return nil, "", fmt.Errorf("the id in the head line %q: %w", b.Head, err)
			}
		}
		for to, text := range map[*int]string{&c.Index: m[1], &c.Count: m[3]} {
			if text == "" {
				continue
			}
			if *to, err = strconv.Atoi(text); err != nil {
				return nil, "", fmt.Errorf("the head line %q: %w", b.Head, err)
			}
		}
		cells = append(cells, c)
	}
	return cells, next, nil
}

// Hostile returns pieces of texts that look like nbduet's own lines.
func Hostile() []string {
	return []string{
		"@@3 4f2a [5]", "@@ out", "@@@", "@@@@@@@@", "@@1:", "@@5:", "@@6: x", "@", "@@", "@@0 a0b1", "@@ stderr", "@@@0 a0b1",
		"\n", "\n\n", "\r", "\r\n", "\v", "\f", "\x1c", "\u0085", "\u2028", "\u2029", "\u200b", "\u2060", "\ufeff", "\u202e", "\u2066", "\u200e",
		"\U000e0041", "\x00", "\x1b[31m", "x", " ", "\t", "ü", "é", " (nbduet's own lines begin with @@@ here)", "next_cursor", "🏴", "\ue0f1", "\ue0f2",
	}
}
