package changelog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// somebody is a participant in a random program: a person, or an agent's client in the replica of the log.
type somebody struct {
	*ydoc.Notebook
	letter string // the only letter that they write
	client string // an agent's
	up     [][]byte
	down   [][]byte
}

// program is a random program of people and agents in one notebook.
type program struct {
	t     *testing.T
	r     *rand.Rand
	l     *Log
	nb    *ydoc.Notebook
	all   []*somebody
	asked map[ydoc.Revision]book
	types bool // cells are not moved, deleted or retyped, so that texts are not copied to other authors
}

func newProgram(t *testing.T, seed uint64) *program {
	p := &program{t: t, r: rand.New(rand.NewPCG(seed, 3)), nb: ydoc.NewNotebookWith(ydoc.Options{ClientID: 1}), asked: map[ydoc.Revision]book{}, types: seed%2 == 0}
	if err := p.nb.Edit("begin", func(e *ydoc.Editor) error {
		for i := range 4 {
			if _, err := e.Insert(0, ydoc.NewCell{ID: fmt.Sprintf("c%d", i), Type: ydoc.Code, Source: "1\n2\n3\n"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	all, err := p.nb.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, letter := range []string{"x", "y"} {
		s := &somebody{Notebook: ydoc.NewNotebookWith(ydoc.Options{ClientID: uint64(i + 2)}), letter: letter}
		if err := s.Apply(all); err != nil {
			t.Fatal(err)
		}
		s.OnUpdate(func(u []byte) { s.up = append(s.up, u) })
		p.all = append(p.all, s)
	}
	for _, letter := range []string{"a", "b"} {
		p.all = append(p.all, &somebody{Notebook: p.nb, letter: letter, client: letter})
	}
	p.nb.OnUpdate(func(u []byte) { p.tell(nil, u) })
	p.l = New(p.nb, crowd{2: true, 3: true})
	return p
}

// tell sends an update to all people but its author.
func (p *program) tell(from *somebody, u []byte) {
	for _, s := range p.all[:2] {
		if s != from {
			s.down = append(s.down, u)
		}
	}
}

// deliver delivers some of the pending updates; all if most.
func (p *program) deliver(most bool) {
	for _, s := range p.all[:2] {
		for len(s.up) > 0 && (most || p.r.IntN(2) == 0) {
			u := s.up[0]
			s.up = s.up[1:]
			p.tell(s, u) // before the updates that it causes
			if err := p.nb.Apply(u); err != nil {
				p.t.Fatal(err)
			}
		}
		for len(s.down) > 0 && (most || p.r.IntN(2) == 0) {
			u := s.down[0]
			s.down = s.down[1:]
			if err := s.Apply(u); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// step makes a participant act.
func (p *program) step() {
	s := p.all[p.r.IntN(len(p.all))]
	do := func() error { return s.Edit("step", func(e *ydoc.Editor) error { return p.edit(s, e) }) }
	var err error
	if s.client != "" {
		err = p.l.By(origin.Author{Client: s.client}, do)
	} else {
		err = do()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) edit(s *somebody, e *ydoc.Editor) error {
	id, _ := e.IDAt(p.r.IntN(e.Len()))
	c, _ := e.Cell(id)
	k := p.r.IntN(20)
	if p.types && k >= 12 && k < 16 {
		k = 0
	}
	switch {
	case k < 10:
		return e.SetSource(id, p.typed(c.Source, s.letter))
	case k < 12:
		_, err := e.Insert(p.r.IntN(e.Len()+1), ydoc.NewCell{Type: ydoc.Code, Source: s.letter + s.letter})
		return err
	case k < 14:
		return e.Move(id, p.r.IntN(e.Len()))
	case k < 15 && e.Len() > 2:
		return e.Delete(id)
	case k < 16:
		return e.SetType(id, []string{ydoc.Code, ydoc.Markdown, ydoc.Raw}[p.r.IntN(3)])
	case c.Type != ydoc.Code:
		return nil
	case k < 18:
		return e.AppendStream(id, "stdout", s.letter)
	case k < 19:
		n := p.r.IntN(9)
		return e.FinishRun(id, &n)
	default:
		return e.ClearOutputs(id)
	}
}

// typed returns a text with a part replaced by the participant's letter.
func (p *program) typed(text, letter string) string {
	lines := strings.SplitAfter(text, "\n")
	i := p.r.IntN(len(lines))
	switch p.r.IntN(4) {
	case 0:
		lines[i] = ""
	case 1:
		lines[i] += letter + "ä\n"
	default:
		lines[i] = letter + lines[i]
	}
	return strings.Join(lines, "")
}

// In random programs, the changes since any sealed revision turn the notebook at that time into the present one, in one
// answer and in any two; and each change has the right author.
func TestRandomPrograms(t *testing.T) {
	all, kept := 0, 0
	for seed := range uint64(60) {
		p := newProgram(t, seed)
		for range 60 {
			p.step()
			if p.r.IntN(2) == 0 {
				p.deliver(false)
			}
			if p.r.IntN(6) == 0 {
				p.asked[p.l.Seal()] = bookOf(p.nb)
			}
		}
		p.deliver(true)
		if p.types {
			p.authors()
		}
		now := bookOf(p.nb)
		known := 0
		for r, then := range p.asked {
			told, ok := p.l.Since(r)
			if !ok {
				continue
			}
			known++
			cuts := told.Cuts()
			p.r.Shuffle(len(cuts)-1, func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
			for _, cut := range cuts[max(0, len(cuts)-4):] {
				b := then.clone()
				if err := b.replay(told.Changes(cut.Entries, nil)); err != nil {
					t.Fatalf("seed %d, from %s: %v", seed, r, err)
				}
				rest, ok := p.l.Since(cut.Revision)
				if !ok {
					t.Fatalf("seed %d: one cannot go on from %s", seed, cut.Revision)
				}
				if err := b.replay(rest.Changes(rest.Len(), nil)); err != nil {
					t.Fatalf("seed %d, from %s on from %s: %v", seed, r, cut.Revision, err)
				}
				if !b.equal(now) {
					t.Fatalf("seed %d, from %s:\n%v\nthe notebook is\n%v", seed, r, b, now)
				}
			}
		}
		all, kept = all+len(p.asked), kept+known
	}
	// The others are from before two people had moved the same cell.
	if kept < all*3/4 {
		t.Errorf("%d of %d revisions were known", kept, all)
	}
	t.Logf("%d of %d revisions were known", kept, all)
}

// authors checks the authors of texts.
func (p *program) authors() {
	p.t.Helper()
	for _, e := range p.l.entries {
		var may []string
		for _, s := range p.all {
			if s.client != "" && s.client == e.who.Client || s.client == "" && slices.Contains(e.who.Clients, s.ClientID()) {
				may = append(may, s.letter)
			}
		}
		for _, span := range e.edits {
			for _, letter := range []string{"a", "b", "x", "y"} {
				if strings.Count(span.new, letter) > strings.Count(span.old, letter) && !slices.Contains(may, letter) {
					p.t.Errorf("%s of %s: %q for %q is said to be by %+v", e.kinds, e.cell, span.new, span.old, e.who)
				}
			}
		}
	}
}
