package tab_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// name returns the name that others see for the person at the tab.
func (p *person) name(ctx context.Context) string {
	p.T.Helper()
	name, err := p.DisplayName(ctx)
	must.NoError(p.T, err)
	if name == "" {
		p.T.Fatal("the tab says no name")
	}
	return name
}

// says types a separate line at the end of a cell, key by key, and goes to another cell.
func (p *person) says(ctx context.Context, cell int, line string, then int) error {
	return errors.Join(p.EditCell(ctx, cell), p.Type(ctx, "\n"+line), p.EditCell(ctx, then))
}

// A person's comment keeps agents out of its cell, and another lets them in again.
func TestHandsOff(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("axis = 0"), kit.Code("other = 1"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)
	edit := func(cell, from, to string, more ...string) string {
		args := map[string]any{"path": path, "cell_id": cell, "old_text": from, "new_text": to}
		for _, arg := range more {
			args[arg] = true
		}
		answer, err := nbduet.Call(ctx, "edit_text", args)
		must.NoError(t, err)
		if answer.IsError {
			return answer.Text
		}
		return ""
	}

	const off, on = "# @Duet hands off", "# @Duet go on"
	must.NoError(t, tab.says(ctx, 0, off, 1))
	who := tab.name(ctx)
	heard := func(when string) error {
		return poll.Until(ctx, when, func(context.Context) error {
			if cells := kit.ReadCells(t, nbduet, path); !strings.HasSuffix(cells[0].Source, off) {
				return fmt.Errorf("%q", cells[0].Source)
			}
			return nil
		})
	}
	must.NoError(t, heard("the words in the room"))
	must.NoError(t, poll.Until(ctx, "hands off", func(context.Context) error {
		switch said := edit("cell-0", "axis = 0", "axis = 1"); {
		case said == "":
			t.Fatal("written into a cell in which somebody typed just now, and said hands off")
		case !strings.HasPrefix(said, "hands_off") || !strings.Contains(said, who):
			return errors.New(said)
		}
		return nil
	}))
	if said := edit("cell-0", "axis = 0", "axis = 1", "force"); !strings.HasPrefix(said, "hands_off") {
		t.Errorf("forced: %q", said)
	}
	if said := edit("cell-1", "other = 1", "other = 2"); said != "" {
		t.Errorf("in the other cell: %s", said)
	}
	tab.Shoot("hands-off")

	must.NoError(t, tab.says(ctx, 0, on, 1))
	must.NoError(t, poll.Until(ctx, "go on", func(context.Context) error {
		said := edit("cell-0", "axis = 0", "axis = 1")
		if said == "" {
			return nil
		}
		return errors.New(said)
	}))
	tab.shows("the edit", "axis = 1\n"+off+"\n"+on, "other = 2")
	tab.Shoot("go-on")
}

// typesSlowly types key by key, as a person does.
func (p *person) typesSlowly(ctx context.Context, text string) error {
	const every = 60 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for _, r := range text {
		<-tick.C
		if err := p.Type(ctx, string(r)); err != nil {
			return err
		}
	}
	return nil
}

// While a person types, a waiting edit of the same cell comes after the typing, and one that does not wait is refused
// with the person's name and text. No key is lost, and their order stays.
func TestTypingBesideAnAgent(t *testing.T) {
	const (
		rounds = 20
		start  = "axis = 0\n# notes:"
		typed  = " the quick brown fox jumps over a lazy dog" // 43 keys, with the previous one
	)
	ctx := t.Context()
	cells := make([]kit.Cell, rounds)
	for i := range cells {
		cells[i] = kit.Code(start)
	}
	path := kit.NewNotebook(t, cells...)
	tab := open(t, path)
	must.NoError(t, tab.Resize(ctx, browser.Width, 2200)) // all cells are in view
	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)
	must.NoError(t, tab.EditCell(ctx, 0)) // from now on the person is known
	who := tab.name(ctx)

	type done struct {
		cell int
		at   time.Time
		err  error
	}
	edited := make(chan done, rounds)
	ended := make([]time.Time, rounds)
	for n := range rounds {
		id := fmt.Sprintf("cell-%d", n)
		args := map[string]any{"path": path, "cell_id": id, "old_text": "axis = 0", "new_text": "axis = 1", "wait": 0}
		must.NoError(t, tab.EditCell(ctx, n))
		typing := make(chan error, 1)
		go func() { typing <- tab.typesSlowly(ctx, "!"+typed) }()
		must.NoError(t, poll.Until(ctx, "the first keys in the room", func(context.Context) error {
			if got := kit.ReadCells(t, nbduet, path)[n].Source; len(got) < len(start)+3 {
				return fmt.Errorf("%q", got)
			}
			return nil
		}))
		answer, err := nbduet.Call(ctx, "edit_text", args)
		must.NoError(t, err)
		test.True(t, answer.IsError, test.Sprint(n))
		test.StrHasPrefix(t, "busy_human", answer.Text, test.Sprint(n))
		test.StrContains(t, answer.Text, who+" is typing", test.Sprint(n))
		test.StrContains(t, answer.Text, `ago: "!`, test.Sprint(n))
		go func() {
			waits := maps.Clone(args)
			waits["wait"] = 30
			_, err := nbduet.Do(ctx, "edit_text", waits, nil)
			edited <- done{n, time.Now(), err}
		}()
		must.NoError(t, <-typing)
		ended[n] = time.Now()
	}
	tab.Shoot("typed")
	var least time.Duration
	for range rounds {
		d := <-edited
		if d.err != nil {
			t.Errorf("round %d: %v", d.cell, d.err)
		}
		after := d.at.Sub(ended[d.cell])
		if after < 0 {
			t.Errorf("round %d: edited %v before the last key", d.cell, -after)
		}
		if least == 0 || after < least {
			least = after
		}
	}
	t.Logf("%d rounds of %d keys, each edit %v or more after the last key", rounds, len(typed)+1, least.Round(time.Millisecond))
	want := make([]string, rounds)
	for i := range want {
		want[i] = strings.Replace(start, "axis = 0", "axis = 1", 1) + "!" + typed
	}
	tab.shows("each key and each edit", want...)
	for i, c := range kit.ReadCells(t, nbduet, path) {
		if c.Source != want[i] {
			t.Errorf("round %d: the tool reads %q", i, c.Source)
		}
	}
}
