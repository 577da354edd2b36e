package tab_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// sources waits until the tab shows these sources, and its model has them.
func (p *person) sources(what string, want ...string) {
	p.T.Helper()
	p.shows(what, want...)
	model, err := p.Model(p.T.Context())
	must.NoError(p.T, err)
	for i, c := range model {
		if c.Source != want[i] {
			p.T.Errorf("%s: cell %d of the model holds %q, want %q", what, i, c.Source, want[i])
		}
	}
}

// Ctrl-Z undoes only the typing of the person at the tab; undo_agent undoes only the agent's edits, even if the person's
// text is beside or inside them.
func TestEachTakesBackTheirOwn(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("a = 1"), kit.Code("b = 2"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	do := func(tool string, args map[string]any) string {
		t.Helper()
		args["path"] = path
		answer, err := nbduet.Do(ctx, tool, args, nil)
		must.NoError(t, err)
		return answer.Text
	}
	kit.ReadCells(t, nbduet, path)
	do("edit_text", map[string]any{"old_text": "a = 1", "new_text": "alpha = 10", "reason": "a longer name"})
	do("insert_nb_cells", kit.Insert(path, 2, false, "made = 3"))
	tab.sources("the agent's edits", "alpha = 10", "b = 2", "made = 3")

	must.NoError(t, tab.Select(ctx, 0, 5, 5))
	must.NoError(t, tab.Type(ctx, "XY"))
	must.NoError(t, tab.Select(ctx, 2, 8, 8))
	must.NoError(t, tab.Type(ctx, "  # mine"))
	tab.sources("what the person typed", "alphaXY = 10", "b = 2", "made = 3  # mine")
	tab.Shoot("typed")

	// The person's undo covers only their own typing.
	for range 6 {
		must.NoError(t, tab.Press(ctx, "z", kb.ModifierCtrl))
	}
	must.NoError(t, tab.Select(ctx, 0, 0, 0))
	for range 6 {
		must.NoError(t, tab.Press(ctx, "z", kb.ModifierCtrl))
	}
	tab.sources("the person's undo", "alpha = 10", "b = 2", "made = 3")
	tab.Shoot("person-undid")

	must.NoError(t, tab.Select(ctx, 0, 5, 5))
	must.NoError(t, tab.Type(ctx, "XY"))
	must.NoError(t, tab.Select(ctx, 2, 8, 8))
	must.NoError(t, tab.Type(ctx, "  # mine"))
	tab.sources("what the person typed again", "alphaXY = 10", "b = 2", "made = 3  # mine")
	said := do("undo_agent", map[string]any{"count": 2, "force": true})
	// Text that the person typed inside the agent's word and cell stays.
	tab.sources("the agent's undo", "aXY = 1", "b = 2", "  # mine")
	test.StrContains(t, said, "edit_text", test.Sprint("undo_agent answers"))
	test.StrContains(t, said, "insert_nb_cells", test.Sprint("undo_agent answers"))
	tab.Shoot("agent-undid")
	do("redo_agent", map[string]any{"count": 2, "force": true})
	tab.sources("the agent's redo", "alphaXY = 10", "b = 2", "made = 3  # mine")
	tab.Shoot("agent-redid")
}

// marks are unique characters, each typed once.
type marks struct {
	mu   sync.Mutex
	last rune
}

// firstMark is the first of 20,000 ideographs.
const firstMark = '一'

func (m *marks) next() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	return string(firstMark + m.last)
}

// typed returns all of them, in order.
func (m *marks) typed() (all []string) {
	for r := firstMark + 1; r <= firstMark+m.last; r++ {
		all = append(all, string(r))
	}
	return all
}

// Two people type in two tabs while the agent edits, inserts, undoes and redoes, in any order: each character that a
// person has typed is there once, in both tabs and for the agent.
func TestNobodysTypingIsTakenBack(t *testing.T) {
	const programs = 50
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("first = 1\n"), kit.Code("second = 2\n"), kit.Markdown("third"))
	tabs := []*person{open(t, path), open(t, path)}
	nbduet := kit.StartAgent(t)
	m := &marks{}
	for n := range programs {
		r := rand.New(rand.NewPCG(36, uint64(n)))
		var typing sync.WaitGroup
		errs := make([]error, len(tabs))
		for i, tab := range tabs {
			own := rand.New(rand.NewPCG(uint64(n), uint64(i)))
			typing.Go(func() { errs[i] = tab.typeAnywhere(ctx, own, m) })
		}
		for range 4 + r.IntN(4) {
			agentDoes(t, nbduet, path, r)
		}
		typing.Wait()
		for _, err := range errs {
			must.NoError(t, err)
		}
		if n%10 == 9 || t.Failed() {
			everyMark(t, fmt.Sprintf("program %d", n), nbduet, path, tabs, m)
			if t.Failed() {
				return
			}
		}
	}
	tabs[0].Shoot("typed")
	t.Logf("%d characters typed in %d programs", len(m.typed()), programs)
}

// typeAnywhere types some marks at places in the first two cells.
func (p *person) typeAnywhere(ctx context.Context, r *rand.Rand, m *marks) error {
	for range 1 + r.IntN(3) {
		index := r.IntN(2)
		model, err := p.Model(ctx)
		if err != nil {
			return err
		}
		at := r.IntN(len([]rune(model[index].Source)) + 1)
		if err := p.Select(ctx, index, at, at); err != nil {
			return err
		}
		for range 1 + r.IntN(4) {
			if err := p.Type(ctx, m.next()); err != nil {
				return err
			}
		}
	}
	return nil
}

// agentDoes lets the agent make one edit, undo, or redo.
func agentDoes(t *testing.T, a *agent.Agent, path string, r *rand.Rand) {
	t.Helper()
	call := func(tool string, args map[string]any) {
		args["path"] = path
		// A refusal is right if people have typed in these words.
		_, err := a.Call(t.Context(), tool, args)
		must.NoError(t, err)
	}
	cells := kit.ReadCells(t, a, path)
	switch n := r.IntN(10); {
	case n < 4: // a separate line at the end, or before the first
		i := r.IntN(2)
		source := cells[i].Source + fmt.Sprintf("own%d\n", r.IntN(1000))
		if r.IntN(2) == 0 {
			source = fmt.Sprintf("own%d\n", r.IntN(1000)) + cells[i].Source
		}
		call("modify_nb_cells", modify(path, i, source))
	case n < 5:
		call("insert_nb_cells", kit.Insert(path, len(cells), false, fmt.Sprintf("made%d", r.IntN(1000))))
	case n < 6 && len(cells) > 3:
		call("delete_nb_cells", map[string]any{"ranges": []any{map[string]any{"id": cells[len(cells)-1].ID}}})
	case n < 9:
		call("undo_agent", map[string]any{"count": 1 + r.IntN(2), "force": true})
	default:
		call("redo_agent", map[string]any{"count": 1, "force": true})
	}
}

// everyMark waits until both tabs have each mark once, and the agent reads the same.
func everyMark(t *testing.T, when string, a *agent.Agent, path string, tabs []*person, m *marks) {
	t.Helper()
	var want string
	check := func(who string, sources func() (string, error)) {
		t.Helper()
		must.NoError(t, poll.Until(t.Context(), when+": every character for "+who, func(context.Context) error {
			text, err := sources()
			if err != nil {
				return err
			}
			for _, c := range m.typed() {
				if n := strings.Count(text, c); n != 1 {
					return fmt.Errorf("%q is there %d times in %q", c, n, text)
				}
			}
			if want != "" && text != want {
				return fmt.Errorf("%q, want %q", text, want)
			}
			want = text
			return nil
		}))
	}
	check("the agent", func() (string, error) {
		var all []string
		for _, c := range kit.ReadCells(t, a, path) {
			all = append(all, c.Source)
		}
		return strings.Join(all, "\x00"), nil
	})
	for i, tab := range tabs {
		check(fmt.Sprintf("person %d", i), func() (string, error) {
			model, err := tab.Model(t.Context())
			var all []string
			for _, c := range model {
				all = append(all, c.Source)
			}
			return strings.Join(all, "\x00"), err
		})
	}
}
