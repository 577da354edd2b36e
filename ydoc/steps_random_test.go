package ydoc

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// stepper is a program in which two people type while two clients edit through one more replica, and undo and redo
// their edits in any order.
type stepper struct {
	*program
	agent      *Notebook
	calm       bool // undelivered updates arrive before and after each step
	undo, redo [2][]*Step
	next       rune
	typed      map[rune]string // the cell into which each character not deleted by its person was typed
}

// firstTyped is the first of the characters that people type, each once. The clients' characters are below it.
const firstTyped = 0x4e00

func newStepper(t *testing.T, seed uint64) *stepper {
	p := &stepper{program: newProgram(t, seed, 3), next: firstTyped, typed: map[rune]string{}}
	p.agent = p.peers[0]
	p.calm = seed%2 == 0
	insert(t, p.peers[1], 0, NewCell{ID: "a", Type: Code}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Markdown})
	p.flush()
	return p
}

// flush delivers all updates.
func (p *stepper) flush() {
	for busy := true; busy; {
		busy = false
		for at, l := range p.links {
			for len(l.queue) > 0 {
				u := l.queue[0]
				l.queue = l.queue[1:]
				p.deliver(at[1], u)
				busy = true
			}
		}
	}
}

// some returns a random cell of a replica.
func (p *stepper) some(n *Notebook) Cell {
	c, _ := n.CellAt(p.IntN(n.Len()))
	return c
}

// person makes a person type a character, or delete one, or a cell.
func (p *stepper) person() {
	n := p.peers[1+p.IntN(2)]
	k := p.IntN(12)
	if k == 9 {
		p.flush()
	}
	c := p.some(n)
	r := []rune(c.Source)
	switch {
	case k < 9 || len(r) == 0:
		at := p.IntN(len(r) + 1)
		p.typed[p.next] = c.ID
		edit(p.t, n, func(e *Editor) error { return e.SetSource(c.ID, string(slices.Insert(r, at, p.next))) })
		p.next++
	case k == 9 && p.calm && n.Len() > 2:
		// Text that the other person types there concurrently is lost, as in any Yjs document.
		defer p.flush()
		// With it goes text that a client has removed from it and cannot restore.
		maps.DeleteFunc(p.typed, func(_ rune, id string) bool { return id == c.ID })
		edit(p.t, n, func(e *Editor) error { return e.Delete(c.ID) })
	default:
		at := p.IntN(len(r))
		delete(p.typed, r[at])
		edit(p.t, n, func(e *Editor) error { return e.SetSource(c.ID, string(slices.Delete(r, at, at+1))) })
	}
}

// act makes one of the clients edit. It never writes a person's character.
func (p *stepper) act(client int) {
	c := p.some(p.agent)
	r := []rune(c.Source)
	s, err := p.agent.Record("act", func(e *Editor) error {
		switch k := p.IntN(10); {
		case k < 5 || !p.calm && k < 8:
			at := p.IntN(len(r) + 1)
			return e.SetSource(c.ID, string(r[:at])+strings.Repeat(string(rune('A'+client)), 1+p.IntN(3))+string(r[min(len(r), at+p.IntN(3)):]))
		case k == 5:
			_, err := e.Insert(p.IntN(e.Len()+1), NewCell{Type: Code, Source: "new"})
			return err
		case k == 6 && e.Len() > 2:
			return e.Delete(c.ID)
		case k == 7:
			return e.SetType(c.ID, []string{Code, Markdown, Raw}[p.IntN(3)])
		}
		return e.Move(c.ID, p.IntN(e.Len()))
	})
	if err != nil {
		p.fatalf("%v", err)
	}
	if s != nil {
		p.undo[client] = append(p.undo[client], s)
	}
}

// back undoes any of a client's steps, or redoes one.
func (p *stepper) back(from, to *[]*Step) {
	if len(*from) == 0 {
		return
	}
	at := p.IntN(len(*from))
	s := (*from)[at]
	*from = slices.Delete(*from, at, at+1)
	_, inverse, err := p.agent.Revert(s)
	if err != nil {
		p.fatalf("%v", err)
	}
	if inverse != nil {
		*to = append(*to, inverse)
	}
}

// standing counts people's characters in the notebook.
func (p *stepper) standing() map[rune]int {
	count := map[rune]int{}
	for _, c := range p.agent.Cells() {
		for _, r := range c.Source {
			count[r]++
		}
	}
	return count
}

// TestStepsInAnyOrderLoseNothingOfPeople runs 500 programs of 30 actions. No person's character may be duplicated,
// and after all steps are undone each must exist unless its person deleted it.
func TestStepsInAnyOrderLoseNothingOfPeople(t *testing.T) {
	defer func(m, s int) { crdt.MarkEvery, crdt.SpliceRuns = m, s }(crdt.MarkEvery, crdt.SpliceRuns)
	crdt.MarkEvery, crdt.SpliceRuns = 2, 1
	for seed := range uint64(500) {
		p := newStepper(t, 20_000+seed)
		for range 30 {
			client := p.IntN(2)
			k := p.IntN(10)
			if k < 5 {
				p.person()
				if p.IntN(2) == 0 {
					p.flush()
				}
				continue
			}
			if p.calm {
				p.flush()
			}
			switch {
			case k < 7:
				p.act(client)
			case k < 9:
				p.back(&p.undo[client], &p.redo[client])
			default:
				p.back(&p.redo[client], &p.undo[client])
			}
			if p.calm {
				p.flush()
			}
			for r, n := range p.standing() {
				if n > 1 && r >= firstTyped {
					p.fatalf("%c is there %d times", r, n)
				}
			}
		}
		p.flush()
		for len(p.undo[0])+len(p.undo[1]) > 0 {
			client := p.IntN(2)
			p.back(&p.undo[client], &p.redo[client])
			p.flush()
		}
		count := p.standing()
		for r := range p.typed {
			if count[r] != 1 {
				p.fatalf("%c is there %d times when all is taken back (calm %v)", r, count[r], p.calm)
			}
		}
		p.settle()
	}
}
