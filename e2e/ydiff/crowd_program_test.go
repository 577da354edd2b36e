package ydiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// crowd is a program in which two people, each in a tab of JupyterLab's, and two clients of an agent, who share a replica
// of ours, write in one notebook; the clients also take back what they did, and make it again.
type crowd struct {
	Seed uint64
	// Wire: what somebody sends reaches the others as it was sent. Otherwise a server of yjs takes it in, and passes on
	// what it makes of it: of what was written into a cell that it has no more, nothing but the length.
	Wire bool
	// Calm: nothing is under way when a cell is moved, gets another type or goes, or when something is taken back or made
	// again. Then there is no reason for which a character may be missing.
	Calm  bool
	IDs   [4]uint64 // of the server, the agent and the people
	Steps []deed
}

// The places at the network, and in [crowd.IDs] behind the server: the agent, and the people.
const agentPlace = 0

// deed is something that a person or a client does, or the passing on of messages.
type deed struct {
	Do string
	P  int    // the person, 1 or 2; the client, 0 or 1; for "up" and "down" the place
	N  [3]int // taken modulo what there is
	S  string // what is typed
	ID string // of a cell that is made
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

// own are the characters that each person types, each once in a program: those of the first are one unit of UTF-16,
// those of the second two.
var own = [3][2]rune{{}, {0x4e00, 0x9fff}, {0x20000, 0x2a6df}}

// typist is the person who types a character, 0 for none.
func typist(r rune) int {
	for p := 1; p < len(own); p++ {
		if r >= own[p][0] && r <= own[p][1] {
			return p
		}
	}
	return 0
}

// What people and clients do, each as often as it is to be drawn.
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
	for i, at := range r.Perm(len(c.IDs)) { // who comes first among what is written at one place is up to these
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
	slow := 1 + r.IntN(4)  // how many messages are passed on at most
	pace := 5 + r.IntN(12) // how often, among the rest
	var again [2]bool      // whether a client is to make again what it has taken back
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
