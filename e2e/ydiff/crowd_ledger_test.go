package ydiff

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// done is what a person did.
type done struct {
	do      string
	Cell    string    `json:"cell"`
	Place   *[2]int64 `json:"place"` // of the cell
	Chars   string    `json:"chars"`
	Made    string    `json:"made"`  // the cell that got the characters
	Twice   string    `json:"twice"` // those among them that the person saw in another place, too
	Updates [][]byte  `json:"updates"`
	seen    int       // how much of what the agent wrote had come to the person
}

// ledger knows of each character that a person has typed whether it has to be there.
//
// No program can have all there: Yjs has no move, and what is written into a cell that is gone is gone with it. What is
// not demanded is counted, each with what has to have happened for that.
type ledger struct {
	chars    map[rune]*char
	vanished map[string][]int // by cell: when the agent deleted it, in numbers of its updates
	removed  map[string]bool  // the cells that people have deleted
	counts   map[string]int
}

// char is what became of a character.
type char struct {
	cell    string // where it was typed, or put by who split that
	erased  bool   // by a person
	loose   string // why it may be missing, "" where it may not
	doubled bool   // whether it may be there more than once
}

func newLedger() *ledger {
	return &ledger{chars: map[rune]*char{}, vanished: map[string][]int{}, removed: map[string]bool{}, counts: map[string]int{}}
}

// The reasons for which a character may be missing.
const (
	// The agent deleted the cell before it came there, while it saw no character of a person's in it.
	withCell = "typed into a cell while the agent deleted it"
	// The server had the cell no more in the form in which the person had it.
	dropped = "dropped by the server, typed into a cell's old copy"
	// A person deleted the cell while another typed in it.
	withRemoved = "typed into a cell while its maker deleted it"
)

func (l *ledger) excuse(c *char, why string) {
	if c != nil && c.loose == "" {
		c.loose = why
	}
}

// did takes down what a person did.
func (l *ledger) did(d *done) {
	l.counts[d.do]++
	for _, r := range d.Chars {
		c := l.chars[r]
		switch {
		case typist(r) == 0:
		case d.do == "type" || d.do == "add":
			c = &char{cell: d.Cell}
			l.chars[r] = c
			if l.removed[d.Cell] {
				l.excuse(c, withRemoved)
			}
		case d.do == "erase" || d.do == "remove":
			c.erased = true
		case d.do == "split":
			c.cell = d.Made
			c.doubled = c.doubled || strings.ContainsRune(d.Twice, r)
		}
	}
	if d.do == "remove" {
		l.removed[d.Cell] = true
		for _, c := range l.chars {
			if c.cell == d.Cell {
				l.excuse(c, withRemoved)
			}
		}
	}
}

// droppedAll takes down that a server had no such cell any more.
func (l *ledger) droppedAll(d *done) {
	for _, r := range d.Chars {
		c := l.chars[r]
		switch {
		case c == nil:
		case d.do == "type":
			l.excuse(c, dropped)
		case d.do == "split" && !c.doubled:
			// Nothing was cut, but the new cell came.
			c.doubled = true
		}
	}
}

// arrived takes down that what a person did has come to the agent.
func (l *ledger) arrived(d *done) {
	if d.do != "type" {
		return
	}
	for _, at := range l.vanished[d.Cell] {
		if at > d.seen {
			for _, r := range d.Chars {
				l.excuse(l.chars[r], withCell)
			}
		}
	}
}

// standing counts the characters of people in a notebook.
func standing(n *ydoc.Notebook) map[rune]int {
	count := map[rune]int{}
	for _, c := range n.Cells() {
		for _, r := range c.Source {
			if typist(r) > 0 {
				count[r]++
			}
		}
	}
	return count
}

// check looks whether all is there, once everything has come everywhere. In a calm program there is no excuse.
func (l *ledger) check(n *ydoc.Notebook, calm bool) error {
	count := standing(n)
	for r, c := range l.chars {
		switch is := count[r]; {
		case calm && !c.erased && (c.loose != "" || c.doubled):
			return fmt.Errorf("%c of cell %s need not be there once in a calm program: %q", r, c.cell, c.loose)
		case is == 1 || c.doubled || is == 0 && (c.erased || c.loose != ""):
		default:
			return fmt.Errorf("%c of cell %s is there %d times (deleted by a person: %v, %q)", r, c.cell, is, c.erased, c.loose)
		}
		delete(count, r)
	}
	if len(count) > 0 {
		return fmt.Errorf("characters that nobody typed: %v", count)
	}
	return nil
}

// What is counted of the characters.
const (
	typed    = "characters typed"
	demanded = "characters that have to be there"
	erased   = "characters that a person has deleted"
	doubled  = "characters that may be there twice: a person cut them out of a cell's old copy, or saw them in two while it was moved"
)

// sum counts what has become of the characters. Of those that need not be there it counts the ones that are not.
func (l *ledger) sum(n *ydoc.Notebook) {
	count := standing(n)
	for r, c := range l.chars {
		l.counts[typed]++
		switch {
		case c.erased:
			l.counts[erased]++
		case c.loose != "":
			if count[r] == 0 {
				l.counts["not there: "+c.loose]++
			}
		case c.doubled:
			l.counts[doubled]++
		default:
			l.counts[demanded]++
		}
	}
}
