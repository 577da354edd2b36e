package ydiff

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// done is a person's edit.
type done struct {
	do      string
	Cell    string    `json:"cell"`
	Place   *[2]int64 `json:"place"` // of the cell
	Chars   string    `json:"chars"`
	Made    string    `json:"made"`  // the cell that contains the characters afterwards
	Twice   string    `json:"twice"` // those that the person also saw in another place
	Updates [][]byte  `json:"updates"`
	seen    int       // number of the agent's updates that the person had received
}

// ledger records for each character that a person has typed whether it must be there.
//
// No program can keep all of them: Yjs has no move, and text in a deleted cell is lost with it. Exceptions are counted,
// each with its precondition.
type ledger struct {
	chars    map[rune]*char
	vanished map[string][]int // by cell: when the agent deleted it, counted in its updates
	removed  map[string]bool  // cells that people have deleted
	counts   map[string]int
}

// char is the state of a character.
type char struct {
	cell    string // the cell it was typed in, or moved to by a split
	erased  bool   // by a person
	loose   string // why it may be missing, or ""
	doubled bool   // whether it may occur more than once
}

func newLedger() *ledger {
	return &ledger{chars: map[rune]*char{}, vanished: map[string][]int{}, removed: map[string]bool{}, counts: map[string]int{}}
}

// The reasons for which a character may be missing.
const (
	// The agent deleted the cell before the character arrived there, while the cell had no person's character.
	withCell = "typed into a cell while the agent deleted it"
	// The server no longer had the cell in the person's form.
	dropped = "dropped by the server, typed into a cell's old copy"
	// A person deleted the cell while another typed in it.
	withRemoved = "typed into a cell while its maker deleted it"
)

func (l *ledger) excuse(c *char, why string) {
	if c != nil && c.loose == "" {
		c.loose = why
	}
}

// did records a person's edit.
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

// droppedAll records that the server no longer had the cell.
func (l *ledger) droppedAll(d *done) {
	for _, r := range d.Chars {
		c := l.chars[r]
		switch {
		case c == nil:
		case d.do == "type":
			l.excuse(c, dropped)
		case d.do == "split" && !c.doubled:
			// The old cell was not cut, but the new one arrived.
			c.doubled = true
		}
	}
}

// arrived records that a person's edit has reached the agent.
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

// standing counts people's characters in a notebook.
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

// check checks that all characters are there, after all messages have arrived. A calm program allows no exceptions.
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

// Counters of the characters.
const (
	typed    = "characters typed"
	demanded = "characters that have to be there"
	erased   = "characters that a person has deleted"
	doubled  = "characters that may be there twice: a person cut them out of a cell's old copy, or saw them in two while it was moved"
)

// sum counts the results of the characters. For exceptions it counts the missing ones.
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
