package ydiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// crowd is a program in which two people, each in a JupyterLab tab, and two clients of an agent, which share a replica
// of nbduet, write in one notebook; the clients also undo and redo their edits.
type crowd struct {
	Seed uint64
	// Wire: messages reach the others unchanged. Otherwise a yjs server applies each message and passes on its own
	// update: for text in a cell that it no longer has, only the length.
	Wire bool
	// Calm: nothing is under way when a cell is moved, changes its type or is deleted, or at an undo or redo. Then no
	// character may be missing.
	Calm  bool
	IDs   [4]uint64 // of the server, the agent and the people
	Steps []deed
}

// The places in the network, and in [crowd.IDs] after the server: the agent, and the people.
const agentPlace = 0

// deed is an action of a person or a client, or the delivery of messages.
type deed struct {
	Do string
	P  int    // the person, 1 or 2; the client, 0 or 1; for "up" and "down" the place
	N  [3]int // taken modulo the number of choices
	S  string // the typed text
	ID string // of a new cell
}

func (d deed) String() string {
	switch d.Do {
	case "up", "down":
		return fmt.Sprintf("%s %s %d", []string{"agent", "Ann", "Bob"}[d.P], d.Do, d.N[0])
	case "type", "erase", "split", "add", "remove":
		return fmt.Sprintf("%s: %s %v %q %s", []string{"", "Ann", "Bob"}[d.P], d.Do, d.N, d.S, d.ID)
	}
	return fmt.Sprintf("client %d: %s %v %q %s", d.P, d.Do, d.N, d.S, d.ID)
}

func (c crowd) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, as sent %v, calm %v, client ids %v", c.Seed, c.Wire, c.Calm, c.IDs)
	for i, d := range c.Steps {
		fmt.Fprintf(&b, "\n%4d  %v", i+1, d)
	}
	return b.String()
}

// own are the characters that each person types, each once in a program: the first person's are one UTF-16 unit, the
// second's two.
var own = [3][2]rune{{}, {0x4e00, 0x9fff}, {0x20000, 0x2a6df}}

// typist returns the person who types a character, or 0.
func typist(r rune) int {
	for p := 1; p < len(own); p++ {
		if r >= own[p][0] && r <= own[p][1] {
			return p
		}
	}
	return 0
}

// Actions of people and clients, with their weights.
var (
	peoplesDeeds = []draw{{12, "type"}, {3, "erase"}, {1, "split"}, {1, "add"}, {1, "remove"}}
	clientsDeeds = []draw{
		{5, "write"},
		{3, "carry"},
		{3, "insert"},
		{2, "move"},
		{1, "retype"},
		{1, "delete"},
		{3, "undo"},
		{3, "undo one"},
		{1, "redo"},
	}
)

func newCrowd(seed uint64) crowd {
	r := random{Rand: rand.New(rand.NewPCG(seed, 20260201))}
	c := crowd{Seed: seed, Wire: seed%2 == 0, Calm: seed%4 < 2 && seed%3 == 0}
	for i, at := range r.Perm(len(c.IDs)) { // these decide the order of text inserted at one place
		c.IDs[i] = uint64(at)*1000 + 1 + r.Uint64N(1000)
	}
	next := [3]rune{0, own[1][0], own[2][0]}
	cells := 0
	keys := func(p, most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteRune(next[p])
			next[p]++
		}
		return b.String()
	}
	slow := 1 + r.IntN(4)  // most messages delivered at once
	pace := 5 + r.IntN(12) // frequency among the other steps
	var again [2]bool      // whether a client is to redo its undo
	for range 80 + r.IntN(80) {
		d := deed{N: [3]int{r.IntN(1000), r.IntN(1000), r.IntN(1000)}}
		cells++
		switch k := r.IntN(6 + pace); {
		case k < 3:
			d.P = 1 + r.IntN(2)
			d.Do = r.draw(peoplesDeeds)
			d.ID = fmt.Sprintf("p%d-%d", d.P, cells)
			switch d.Do {
			case "type":
				d.S = keys(d.P, 3)
			case "add":
				d.S = keys(d.P, 2)
			}
		case k < 6:
			d.P = r.IntN(2)
			d.Do = r.draw(clientsDeeds)
			if again[d.P] && r.IntN(2) == 0 {
				d.Do = "redo"
			}
			again[d.P] = d.Do == "undo" || d.Do == "undo one"
			d.ID = fmt.Sprintf("g%d-%d", d.P, cells)
			d.S = strings.Repeat(string(rune([]int{'a', 'A'}[d.P]+cells%26)), 1+r.IntN(3))
		default:
			d.Do = []string{"up", "down"}[r.IntN(2)]
			d.P = r.IntN(3)
			d.N = [3]int{1 + r.IntN(slow)}
		}
		c.Steps = append(c.Steps, d)
	}
	return c
}
