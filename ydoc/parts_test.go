package ydoc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func split(id string, lines ...int) func(e *Editor) error {
	return func(e *Editor) error { _, err := e.Split(id, lines...); return err }
}

func join(id string, others ...string) func(e *Editor) error {
	return func(e *Editor) error { return e.Join(id, others...) }
}

// The last part of a split cell keeps its id and outputs; all parts have its type and metadata. Undo restores the cell,
// redo splits it again.
func TestSplit(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "a = 1\n\nb = 2\nc = 3", Metadata: map[string]any{"tags": []any{"x"}}})
	edit(t, tab, func(e *Editor) error {
		return e.AppendOutput("c", Output{"output_type": "stream", "name": "stdout", "text": "3"})
	})
	step := doing(t, n, split("c", 2, 3))
	test.Eq(t, []string{"a = 1", "b = 2", "c = 3"}, sources(tab))
	for i, c := range tab.Cells() {
		test.Eq(t, Code, c.Type)
		test.Eq(t, map[string]any{"tags": []any{"x"}}, c.Metadata)
		test.Eq(t, i == 2, c.ID == "c")
		test.Eq(t, i == 2, len(c.Outputs) == 1)
	}
	_, again := revert(t, n, step)
	test.Eq(t, []string{"a = 1\n\nb = 2\nc = 3"}, sources(tab))
	test.Eq(t, "c", tab.Cells()[0].ID)
	revert(t, n, again)
	test.Eq(t, []string{"a = 1", "b = 2", "c = 3"}, sources(tab))
}

// A split counts characters as a tab does, in UTF-16 code units.
func TestSplitBehindLongCharacters(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Markdown, Source: "日本 👍🏽\né\nlast"})
	doing(t, n, split("c", 1, 2))
	test.Eq(t, []string{"日本 👍🏽", "é", "last"}, sources(tab))
}

// Typing in any part stays when a split is undone.
func TestSplitUndoneAroundTyping(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "one\ntwo"})
	step := doing(t, n, split("c", 1))
	edit(t, tab, func(e *Editor) error {
		first, _ := e.IDAt(0)
		if err := e.SetSource(first, "one!"); err != nil {
			return err
		}
		return e.SetSource("c", "two?")
	})
	u, _ := revert(t, n, step)
	test.Eq(t, []string{"!", "one\ntwo?"}, sources(tab))
	test.Len(t, 1, u.Kept)
}

// Attachments go with the text that shows them.
func TestSplitAttachments(t *testing.T) {
	picture := map[string]any{"image/png": "AA=="}
	n, tab := agentAndTab(t, NewCell{ID: "m", Type: Markdown, Source: "![a](attachment:a.png)\n![b](attachment:b.png)", Attachments: map[string]any{"a.png": picture, "b.png": picture}})
	doing(t, n, split("m", 1))
	cells := tab.Cells()
	test.Eq(t, map[string]any{"a.png": picture}, cells[0].Attachments)
	test.MapContainsKey(t, cells[1].Attachments, "b.png")
	doing(t, n, join(cells[0].ID, "m"))
	must.Eq(t, 1, tab.Len())
	test.Eq(t, map[string]any{"a.png": picture, "b.png": picture}, tab.Cells()[0].Attachments)
}

// A joined cell has all sources and outputs, and the last execution count. Undo restores the cells with their ids.
func TestJoin(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "a", Type: Code, Source: "a = 1"}, NewCell{ID: "b", Type: Code}, NewCell{ID: "c", Type: Code, Source: "a + 1"})
	edit(t, tab, func(e *Editor) error {
		for i, id := range []string{"a", "c"} {
			if err := e.AppendOutput(id, Output{"output_type": "execute_result", "data": map[string]any{"text/plain": id}, "metadata": map[string]any{}, "execution_count": i + 1}); err != nil {
				return err
			}
			if err := e.FinishRun(id, new(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	before := content(tab)
	step := doing(t, n, join("a", "b", "c"))
	must.Eq(t, 1, tab.Len())
	got := tab.Cells()[0]
	test.Eq(t, "a", got.ID)
	test.Eq(t, "a = 1\n\na + 1", got.Source)
	test.Len(t, 2, got.Outputs)
	test.Eq(t, 2, *got.ExecutionCount)
	revert(t, n, step)
	test.Eq(t, before, content(tab))
}

// Splits and joins that do not fit are refused, and nothing is changed.
func TestPartsRefused(t *testing.T) {
	n, tab := agentAndTab(t, NewCell{ID: "c", Type: Code, Source: "a\nb"}, NewCell{ID: "m", Type: Markdown, Source: "m"},
		NewCell{ID: "locked", Type: Code, Source: "x\ny", Metadata: map[string]any{KeyEditable: false}})
	before := content(tab)
	for name, do := range map[string]func(e *Editor) error{
		"at the start":       split("c", 0),
		"at the end":         split("c", 2),
		"twice":              split("c", 1, 1),
		"of none":            split("z", 1),
		"locked":             split("locked", 1),
		"two types":          join("c", "m"),
		"itself":             join("c", "c"),
		"with a locked cell": join("c", "locked"),
	} {
		_, err := n.Record("test", do)
		test.Error(t, err, test.Sprint(name))
	}
	test.Eq(t, before, content(tab))
}

// Whatever is split, joined, retyped, moved and undone, each character that a person typed is there once.
func TestPartsKeepTyping(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 64))
		n, tab := agentAndTab(t, NewCell{ID: "a", Type: Code, Source: "1\n2\n3"}, NewCell{ID: "b", Type: Code, Source: "4\n5"})
		var steps []*Step
		next := 'A'
		for range 25 {
			ids := n.IDs()
			id := ids[rng.IntN(len(ids))]
			c, _ := n.Cell(id)
			lines := strings.Count(c.Source, "\n") + 1
			var do func(e *Editor) error
			switch kind := rng.IntN(7); {
			case kind == 0 && lines > 1:
				do = split(id, 1+rng.IntN(lines-1))
			case kind == 1 && len(ids) > 1:
				other := ids[(rng.IntN(len(ids)-1)+1+slices.Index(ids, id))%len(ids)]
				do = join(id, other)
			case kind == 2:
				do = func(e *Editor) error { return e.SetType(id, []string{Code, Markdown, Raw}[rng.IntN(3)]) }
			case kind == 3:
				do = func(e *Editor) error { return e.Move(id, rng.IntN(len(ids))) }
			case kind == 4 && len(steps) > 0:
				revert(t, n, steps[len(steps)-1])
				steps = steps[:len(steps)-1]
				continue
			case next <= 'Z':
				edit(t, tab, func(e *Editor) error {
					at := rng.IntN(len(c.Source) + 1)
					err := e.SetSource(id, c.Source[:at]+string(next)+c.Source[at:])
					next++
					return err
				})
				continue
			default:
				continue
			}
			if s, err := n.Record("test", do); err == nil && s != nil {
				steps = append(steps, s)
			}
		}
		all := strings.Join(sources(tab), "")
		for key := 'A'; key < next; key++ {
			must.Eq(t, 1, strings.Count(all, string(key)), must.Sprint("seed ", seed, ", key ", fmt.Sprintf("%c", key), " in ", fmt.Sprintf("%q", sources(tab))))
		}
	}
}
