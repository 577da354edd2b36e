package changelog

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// crowd is the people in the room, and whether they are known.
type crowd map[uint64]bool

func (c crowd) Named(uint64) (name string, agent, ok bool) { return "", false, false }

func (c crowd) Sole() (uint64, bool) {
	if len(c) != 1 {
		return 0, false
	}
	for client := range c {
		return client, true
	}
	return 0, false
}

// book is a notebook that is rebuilt from its history.
type book struct {
	ids     []string
	types   map[string]string
	sources map[string]string
}

func bookOf(nb *ydoc.Notebook) book {
	b := book{types: map[string]string{}, sources: map[string]string{}}
	for _, c := range nb.Cells() {
		b.ids = append(b.ids, c.ID)
		b.types[c.ID], b.sources[c.ID] = c.Type, c.Source
	}
	return b
}

func (b book) clone() book {
	return book{slices.Clone(b.ids), maps.Clone(b.types), maps.Clone(b.sources)}
}

func (b book) equal(o book) bool {
	return slices.Equal(b.ids, o.ids) && maps.Equal(b.types, o.types) && maps.Equal(b.sources, o.sources)
}

func (b book) String() string {
	var out []string
	for _, id := range b.ids {
		out = append(out, fmt.Sprintf("%s %s %q", id, b.types[id], b.sources[id]))
	}
	return strings.Join(out, "\n")
}

// replay makes changes.
func (b *book) replay(changes []Change) error {
	for _, c := range changes {
		at := slices.Index(b.ids, c.Cell)
		if c.Kinds&Added != 0 != (at < 0) {
			return fmt.Errorf("%s of %s, which is at %d", c.Kinds, c.Cell, at)
		}
		if c.Kinds&placed != 0 {
			if at >= 0 {
				b.ids = slices.Delete(b.ids, at, at+1)
			}
			to := 0
			if c.After != "" {
				if to = slices.Index(b.ids, c.After) + 1; to == 0 {
					return fmt.Errorf("%s of %s behind %s, which is not there", c.Kinds, c.Cell, c.After)
				}
			}
			b.ids = slices.Insert(b.ids, to, c.Cell)
		}
		if c.Kinds&Retyped != 0 && b.types[c.Cell] != c.Was {
			return fmt.Errorf("%s was %s, not %s", c.Cell, b.types[c.Cell], c.Was)
		}
		if c.Kinds&(Retyped|Added) != 0 {
			b.types[c.Cell] = c.Type
		}
		if c.Gone {
			return fmt.Errorf("%s of %s without its text", c.Kinds, c.Cell)
		}
		if c.Kinds&(Edited|Added|Deleted) == 0 != (c.Diff == "") && c.Kinds&(Added|Deleted) == 0 {
			return fmt.Errorf("%s of %s with %q", c.Kinds, c.Cell, c.Diff)
		}
		now, err := patched(b.sources[c.Cell], c.Diff)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", c.Kinds, c.Cell, err)
		}
		b.sources[c.Cell] = now
		if c.Kinds&Deleted != 0 {
			b.ids = slices.Delete(b.ids, at, at+1)
			delete(b.sources, c.Cell)
			delete(b.types, c.Cell)
		}
	}
	return nil
}

// patched applies a unified diff to a text, which must contain all the context lines.
func patched(text, diff string) (string, error) {
	var was, out []string
	if text != "" {
		was = strings.SplitAfter(text, "\n")
		if was[len(was)-1] == "" {
			was = was[:len(was)-1]
		}
	}
	if diff == "" {
		return text, nil
	}
	lines := strings.SplitAfter(diff, "\n")[2:]
	at := 0
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "@@ -"):
			first, count, _ := strings.Cut(strings.Fields(line)[1][1:], ",")
			from, err := strconv.Atoi(first)
			if err != nil {
				return "", err
			}
			if count != "0" {
				from--
			}
			for ; at < from; at++ {
				out = append(out, was[at])
			}
			continue
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\ `):
			line = strings.TrimSuffix(line, "\n")
			i++
		}
		if line[0] != '+' {
			if at >= len(was) || was[at] != line[1:] {
				return "", fmt.Errorf("line %d of %q is not %q", at, text, line)
			}
			at++
		}
		if line[0] != '-' {
			out = append(out, line[1:])
		}
	}
	return strings.Join(append(out, was[at:]...), ""), nil
}

// as makes an edit for one of this program's clients.
func as(t testing.TB, l *Log, nb *ydoc.Notebook, client string, fn func(e *ydoc.Editor) error) {
	t.Helper()
	if err := l.By(origin.Author{Client: client}, func() error { return nb.Edit("test", fn) }); err != nil {
		t.Fatal(err)
	}
}

// pair returns a replica with a log, and a person's replica; each receives the other's edits at once.
func pair(t testing.TB, cells ...ydoc.NewCell) (nb, person *ydoc.Notebook, l *Log) {
	t.Helper()
	nb, person = ydoc.NewNotebookWith(ydoc.Options{ClientID: 1}), ydoc.NewNotebookWith(ydoc.Options{ClientID: 2})
	feed(t, nb, person)
	feed(t, person, nb)
	if err := nb.Edit("begin", func(e *ydoc.Editor) error { _, err := e.Insert(0, cells...); return err }); err != nil {
		t.Fatal(err)
	}
	return nb, person, New(nb, crowd{2: true})
}

func feed(t testing.TB, from, to *ydoc.Notebook) {
	from.OnUpdate(func(u []byte) {
		if err := to.Apply(u); err != nil {
			t.Error(err)
		}
	})
}

// edits makes an edit as a person.
func edits(t testing.TB, person *ydoc.Notebook, fn func(e *ydoc.Editor) error) {
	t.Helper()
	if err := person.Edit("test", fn); err != nil {
		t.Fatal(err)
	}
}

// since returns the changes since a known revision.
func since(t testing.TB, l *Log, r ydoc.Revision) []Change {
	t.Helper()
	told, ok := l.Since(r)
	if !ok {
		t.Fatalf("revision %s is not known", r)
	}
	return told.Changes(told.Len(), nil)
}
