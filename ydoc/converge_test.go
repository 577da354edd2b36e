package ydoc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// program drives replicas of one notebook with random edits and a random network, everything drawn from one seed.
type program struct {
	*rand.Rand
	t     *testing.T
	seed  uint64
	peers []*Notebook
	links map[[2]int]*link
	ids   int
}

// link carries updates from one peer to another, in order; while it is cut they are lost.
type link struct {
	queue [][]byte
	cut   bool
}

func newProgram(t *testing.T, seed uint64, peers int) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, seed: seed, links: map[[2]int]*link{}}
	for i := range peers {
		id := uint64(i + 1)
		if p.IntN(2) == 0 {
			id = p.Uint64N(1<<53-10) + 1
		}
		n := NewNotebookWith(Options{ClientID: id})
		recorded(t, 5, n)
		p.peers = append(p.peers, n)
		for j := range peers {
			if i != j {
				p.links[[2]int{i, j}] = &link{}
			}
		}
		n.OnUpdate(func(u []byte) {
			for j := range peers {
				if l := p.links[[2]int{i, j}]; l != nil && !l.cut {
					l.queue = append(l.queue, u)
				}
			}
		})
	}
	return p
}

func (p *program) fatalf(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf("seed %d: %s", p.seed, fmt.Sprintf(format, args...))
}

// pieces are the parts of random texts.
var pieces = []string{"a", "b", " ", "\n", "é", "é", "😀", "👩‍👩‍👧", "日本", "import x", "\n\n", "x = 1", "0"}

func (p *program) text(n int) string {
	var b strings.Builder
	for range p.IntN(n + 1) {
		b.WriteString(pieces[p.IntN(len(pieces))])
	}
	return b.String()
}

func (p *program) value(depth int) any {
	switch k := p.IntN(9); {
	case k == 0:
		return nil
	case k == 1:
		return p.IntN(2) == 0
	case k == 2:
		return p.IntN(1<<40) - 1<<39
	case k == 3:
		return p.NormFloat64()
	case k == 4:
		return float64(float32(p.NormFloat64()))
	case k < 7 || depth == 0:
		return p.text(3)
	case k == 7:
		l := make([]any, p.IntN(3))
		for i := range l {
			l[i] = p.value(depth - 1)
		}
		return l
	}
	m := map[string]any{}
	for range p.IntN(3) {
		m[p.text(1)] = p.value(depth - 1)
	}
	return m
}

func (p *program) output() Output {
	switch p.IntN(3) {
	case 0:
		return Output{"output_type": "stream", "name": []string{"stdout", "stderr"}[p.IntN(2)], "text": p.text(3)}
	case 1:
		return Output{"output_type": "display_data", "data": map[string]any{"text/plain": p.text(2), "application/json": p.value(2)}}
	}
	return Output{"output_type": "error", "ename": "E", "traceback": []string{p.text(1)}}
}

// change makes one random edit of several operations, and checks the result.
func (p *program) change(n *Notebook) {
	var staged []Cell
	err := change(n, "random", func(e *Editor) error {
		for range 1 + p.IntN(3) {
			if err := p.operation(n, e); err != nil {
				return err
			}
		}
		for i := range e.Len() {
			c, _ := e.CellAt(i)
			staged = append(staged, c)
		}
		return nil
	})
	if err != nil {
		if !errors.Is(err, ErrInvalid) {
			p.fatalf("edit: %v", err)
		}
		return
	}
	count := map[string]int{} // several with one id, after concurrent moves, are not distinguished
	for _, c := range staged {
		count[c.ID]++
	}
	for i, want := range staged {
		if got, _ := n.CellAt(i); count[want.ID] == 1 && (got.ID != want.ID || got.Type != want.Type || got.Source != want.Source) {
			p.fatalf("cell %d is %+v, it was to be %+v", i, got, want)
		}
	}
}

func (p *program) operation(n *Notebook, e *Editor) error {
	if e.Len() == 0 || p.IntN(8) == 0 {
		p.ids++
		c := NewCell{ID: fmt.Sprintf("%d-%d", n.ClientID()%1000, p.ids), Type: []string{Code, Code, Markdown, Raw}[p.IntN(4)], Source: p.text(6)}
		if p.IntN(3) == 0 {
			c.Metadata = map[string]any{"k": p.value(3)}
		}
		_, err := e.Insert(p.IntN(e.Len()+1), c)
		return err
	}
	id, _ := e.IDAt(p.IntN(e.Len()))
	c, _ := e.Cell(id)
	switch k := p.IntN(20); {
	case k < 8:
		return e.SetSource(id, p.mutate(c.Source))
	case k == 8:
		return e.Delete(id)
	case k == 9:
		return e.Move(id, p.IntN(e.Len()))
	case k == 10:
		return e.SetType(id, []string{Code, Markdown, Raw}[p.IntN(3)])
	case k == 11:
		return e.SetCellMetadata(id, "k"+p.text(1), p.value(3))
	case k == 12:
		return e.DeleteCellMetadata(id, "k")
	case k == 13:
		return e.SetMetadata("m", p.value(2))
	case k == 14 && c.Type != Code:
		return e.SetAttachments(id, map[string]any{"a.png": p.value(1)})
	}
	if c.Type != Code {
		return nil
	}
	switch p.IntN(7) {
	case 0:
		return e.StartRun(id)
	case 1:
		k := p.IntN(100)
		return e.FinishRun(id, &k)
	case 2:
		return e.ReplaceStreamTail(id, "stdout", p.IntN(6), p.text(3))
	case 3:
		return e.AppendOutput(id, p.output())
	case 4:
		return e.SetOutputs(id, []Output{p.output(), p.output()})
	}
	return e.AppendStream(id, []string{"stdout", "stderr"}[p.IntN(2)], p.text(4))
}

// mutate changes a text at one place, between two characters.
func (p *program) mutate(s string) string {
	r := []rune(s)
	from := p.IntN(len(r) + 1)
	to := min(len(r), from+p.IntN(4))
	return string(r[:from]) + p.text(3) + string(r[to:])
}

// network changes a link at random.
func (p *program) network() {
	i := p.IntN(len(p.peers))
	j := (i + 1 + p.IntN(len(p.peers)-1)) % len(p.peers)
	l := p.links[[2]int{i, j}]
	switch k := p.IntN(20); {
	case k == 0:
		l.cut, l.queue = true, nil
	case k == 1:
		p.sync(i, j)
	case k == 2 && len(l.queue) > 0: // twice
		p.deliver(j, l.queue[0])
	default:
		for range 1 + p.IntN(3) {
			if len(l.queue) > 0 {
				u := l.queue[0]
				l.queue = l.queue[1:]
				p.deliver(j, u)
			}
		}
	}
}

func (p *program) deliver(to int, u []byte) {
	if err := p.peers[to].Apply(u); err != nil && !errors.Is(err, ErrPending) {
		p.fatalf("apply: %v", err)
	}
}

// sync makes j ask i for missing changes. Later updates of i follow.
func (p *program) sync(i, j int) {
	sv, err := p.peers[j].StateVector()
	if err != nil {
		p.fatalf("%v", err)
	}
	u, err := p.peers[i].Diff(sv)
	if err != nil {
		p.fatalf("%v", err)
	}
	l := p.links[[2]int{i, j}]
	l.cut = false
	if p.IntN(2) == 0 {
		l.queue = nil // an update that races the answer is lost or comes late
	}
	p.deliver(j, u)
}

// settle connects all links and compares.
func (p *program) settle() {
	for range 3 {
		for i := range p.peers {
			for j := range p.peers {
				if i != j {
					p.links[[2]int{i, j}].queue = nil
					p.sync(i, j)
				}
			}
		}
	}
	for _, n := range p.peers[1:] {
		sameCells(p.t, p.peers[0], n)
		if !crdt.EqualObjects(p.peers[0].Metadata(), n.Metadata()) {
			p.fatalf("metadata %v and %v", p.peers[0].Metadata(), n.Metadata())
		}
		if !slices.Equal(stateVector(p.t, p.peers[0].Doc), stateVector(p.t, n.Doc)) {
			p.fatalf("state vectors differ")
		}
		if n.Held() != 0 {
			p.fatalf("%d updates are still held", n.Held())
		}
	}
	for _, n := range p.peers {
		p.check(n)
	}
	if p.t.Failed() {
		p.fatalf("diverged")
	}
}

// check compares a replica's caches with a fresh replica of its state.
func (p *program) check(n *Notebook) {
	fresh := NewNotebook()
	apply(p.t, fresh.Doc, diff(p.t, n.Doc, nil))
	sameCells(p.t, n, fresh)
	for _, c := range n.Cells() {
		if c.Fault != "" {
			p.fatalf("cell %s: %s", c.ID, c.Fault)
		}
	}
	if p.t.Failed() {
		p.fatalf("a replica differs from its state")
	}
}

func TestRandomProgramsConverge(t *testing.T) {
	// Small enough for the short lists here to have marks and for their texts to be spliced.
	defer func(m, s int) { crdt.MarkEvery, crdt.SpliceRuns = m, s }(crdt.MarkEvery, crdt.SpliceRuns)
	crdt.MarkEvery, crdt.SpliceRuns = 2, 1
	for seed := range uint64(200) {
		p := newProgram(t, seed, 2+int(seed%2))
		for range 60 {
			n := p.peers[p.IntN(len(p.peers))]
			switch k := p.IntN(10); {
			case k < 4:
				p.change(n)
			case k == 4:
				_, _ = n.CellAt(p.IntN(4))
			case k == 5 && p.IntN(5) == 0:
				p.check(n)
			default:
				p.network()
			}
		}
		p.settle()
	}
}
