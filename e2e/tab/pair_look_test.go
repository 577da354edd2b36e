package tab_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// place is a place in a cell, as in the answer of look_around.
type place struct{ Line, Column int }

// spot is a person's or agent's position in the answer of look_around.
type spot struct {
	CellID   string `json:"cell_id"`
	From, To *place
	Selected string
}

// around is the answer of look_around.
type around struct {
	People []struct {
		Username string
		Front    []string `json:"in_front"`
		spot
	}
	Message string
}

func lookAround(t *testing.T, a *agent.Agent, args map[string]any) around {
	t.Helper()
	var seen around
	_, err := a.Do(t.Context(), "look_around", args, &seen)
	must.NoError(t, err)
	return seen
}

// of returns a member's position.
func (a around) of(username string) (spot, bool) {
	for _, p := range a.People {
		if p.Username == username {
			return p.spot, true
		}
	}
	return spot{}, false
}

// String returns a spot for comparisons and messages.
func (s spot) String() string {
	at := func(p *place) string {
		if p == nil {
			return "-"
		}
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s %s %s %q", s.CellID, at(s.From), at(s.To), s.Selected)
}

// spotOf returns the position of a CodeMirror caret.
func spotOf(c browser.Caret) spot {
	units := []rune(c.Source)
	at := func(offset int) *place {
		p := &place{1, 1}
		for _, r := range units {
			if offset <= 0 {
				break
			}
			if offset--; r > 0xffff {
				offset--
			}
			if p.Column++; r == '\n' {
				p.Line, p.Column = p.Line+1, 1
			}
		}
		return p
	}
	s := spot{CellID: c.Cell, From: at(min(c.Anchor, c.Head)), Selected: c.Text}
	if c.Anchor != c.Head {
		s.To = at(max(c.Anchor, c.Head))
	}
	return s
}

// moveCaret moves the caret as a person may: with the pointer or with keys.
func (p *person) moveCaret(ctx context.Context, r *rand.Rand, lengths []int) error {
	if r.IntN(2) == 0 {
		i := r.IntN(len(lengths))
		anchor, head := r.IntN(lengths[i]+1), r.IntN(lengths[i]+1)
		if r.IntN(2) == 0 {
			head = anchor
		}
		return p.Select(ctx, i, anchor, head)
	}
	keys := []string{kb.ArrowLeft, kb.ArrowRight, kb.Home, kb.End}
	for range 1 + r.IntN(3) {
		var with []chromedp.Modifier
		if r.IntN(2) == 0 {
			with = append(with, kb.ModifierShift)
		}
		if err := p.Press(ctx, keys[r.IntN(len(keys))], with...); err != nil {
			return err
		}
	}
	return nil
}

// look_around has the positions and selections of two people's carets soon after each move: within 300 ms, or as soon as
// the other tab receives it, if the browser or the server takes longer.
func TestCaretsAreSeen(t *testing.T) {
	const (
		moves = 200
		soon  = 300 * time.Millisecond
	)
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("import math\nradius = 2  # größe 😀\n"), kit.Code("for n in range(3):\n\tprint(n, '日本')"), kit.Markdown("# Title\n\ntext"), kit.Code("short"))
	nbduet := kit.StartAgent(t)
	cells := kit.ReadCells(t, nbduet, path)
	var lengths []int // in UTF-16 units; the emoji, which has two, is after all places
	for _, c := range cells {
		before, _, _ := strings.Cut(c.Source, "😀")
		lengths = append(lengths, len([]rune(before)))
	}
	tabs := []*person{open(t, path), open(t, path)}
	var users []string
	for i, tab := range tabs {
		user, err := tab.Username(ctx)
		must.NoError(t, err)
		users = append(users, user)
		must.NoError(t, tab.Select(ctx, i, 0, 0))
	}
	args := map[string]any{"path": path}
	r := rand.New(rand.NewPCG(36, 200))
	var took []time.Duration
	for n := range moves {
		i := r.IntN(2)
		tab, other := tabs[i], tabs[1-i]
		must.NoError(t, tab.moveCaret(ctx, r, lengths))
		caret, err := tab.Caret(ctx)
		must.NoError(t, err)
		want := spotOf(caret)
		began := time.Now()
		own, err := tab.CaretsOf(ctx, users[i])
		must.NoError(t, err)
		must.NoError(t, poll.Until(ctx, "the caret in look_around", func(ctx context.Context) error {
			late := time.Since(began) > soon
			if late {
				heard, err := other.CaretsOf(ctx, users[i])
				if err != nil {
					return err
				}
				late = heard == own
			}
			got, _ := lookAround(t, nbduet, args).of(users[i])
			if got.String() == want.String() {
				return nil
			}
			err := fmt.Errorf("move %d: %s, want %s", n, got, want)
			if late {
				t.Error(err)
				return nil
			}
			return err
		}))
		if t.Failed() {
			tab.Shoot("caret")
			return
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("%d moves, each right after %v in the middle and %v at most", moves, took[moves/2], took[moves-1])
	tabs[0].Shoot("carets")

	// Without a path: both have the notebook in front.
	must.NoError(t, poll.Until(ctx, "both have the notebook in front", func(context.Context) error {
		seen := lookAround(t, nbduet, map[string]any{})
		for _, user := range users {
			if at, ok := seen.of(user); !ok || at.CellID == "" {
				return fmt.Errorf("%+v", seen)
			}
		}
		return nil
	}))
	// One of them leaves, without further waiting.
	tabs[1].Close()
	must.NoError(t, poll.Until(ctx, "the other is alone", func(context.Context) error {
		if seen := lookAround(t, nbduet, args); len(seen.People) != 1 || seen.People[0].Username != users[0] {
			return fmt.Errorf("%+v", seen)
		}
		return nil
	}))
}
