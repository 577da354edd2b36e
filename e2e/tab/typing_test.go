package tab_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// modify returns the arguments of modify_nb_cells that change one cell without running it.
func modify(path string, index int, content string) map[string]any {
	return map[string]any{
		"path":          path,
		"modifications": []map[string]any{{"range": map[string]any{"start": index}, "content": content}},
		"exec":          false,
		"force":         true, // not held back while a person types
	}
}

// run runs the cell at index as a person does, with Ctrl-Enter.
func (p *person) run(ctx context.Context, index int) error {
	if err := p.EditCell(ctx, index); err != nil {
		return err
	}
	return p.Press(ctx, kb.Enter, kb.ModifierCtrl)
}

// The tool reads a person's typed text and added cells.
func TestTypedTextIsRead(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("x = 1"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	before := kit.ReadCells(t, nbduet, path)
	must.SliceLen(t, 1, before)
	must.Eq(t, "x = 1", before[0].Source)
	must.Eq(t, "cell-0", before[0].ID)

	const typed = "  # naïve größe 😀 日本"
	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Type(ctx, typed))
	must.NoError(t, tab.Press(ctx, kb.Escape))
	must.NoError(t, tab.Type(ctx, "b")) // a new cell below
	must.NoError(t, tab.WaitView(ctx, "the new cell", func(cells []browser.ViewCell) error {
		if len(cells) != 2 {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, tab.EditCell(ctx, 1))
	must.NoError(t, tab.Type(ctx, "print('by hand')"))
	tab.Shoot("typed")

	must.NoError(t, poll.Until(ctx, "the tool to read what was typed", func(context.Context) error {
		cells := kit.ReadCells(t, nbduet, path)
		if len(cells) == 2 && cells[0].Source == "x = 1"+typed && cells[0].ID == "cell-0" && cells[1].Source == "print('by hand')" {
			return nil
		}
		return fmt.Errorf("%+v", cells)
	}))
}

// While a person types in a cell, the tool changes its source repeatedly: no typed character is lost or moved, and none
// of the tool's changes is lost.
func TestEveryTypedCharacterIsKept(t *testing.T) {
	const (
		start = "alpha = 0\nbeta = 2\n# notes:"
		typed = " the quick brown fox jumps over the lazy dog 0123456789 größer als 😀 und noch viel mehr Text"
	)
	change := func(source string, n int) string {
		_, rest, _ := strings.Cut(source, "\n")
		return fmt.Sprintf("alpha = %d\n%s", n, rest)
	}

	for name, reread := range map[string]bool{
		// The tool works on a fresh read, as a careful model does …
		"rereading": true,
		// … or only on the answers to its changes, as a model often does.
		"from answers": false,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			path := kit.NewNotebook(t, kit.Code(start), kit.Code("other = 1"))
			tab := open(t, path)
			nbduet := kit.StartAgent(t)
			source := kit.ReadCells(t, nbduet, path)[0].Source
			must.NoError(t, tab.EditCell(ctx, 0))

			// The person types all the time, key by key, and pauses now and then until the tool has written, …
			typing, wrote := make(chan error, 1), make(chan struct{}, 1)
			go func() {
				for i, r := range []rune(typed) {
					if i%25 == 24 {
						select {
						case <-wrote:
						case <-ctx.Done():
						}
					}
					if err := tab.Type(ctx, string(r)); err != nil {
						typing <- err
						return
					}
				}
				typing <- nil
			}()
			// … and the tool writes while the person does, and once more.
			writes := 0
			for busy := true; busy; {
				select {
				case err := <-typing:
					must.NoError(t, err)
					busy = false
				default:
				}
				writes++
				if reread {
					source = kit.ReadCells(t, nbduet, path)[0].Source
				}
				source = change(source, writes)
				var answer agent.Executed
				_, err := nbduet.Do(ctx, "modify_nb_cells", modify(path, 0, source), &answer)
				must.NoError(t, err)
				for _, merged := range answer.Merged {
					source = merged.Source
				}
				select {
				case wrote <- struct{}{}:
				default:
				}
			}
			if writes < 3 {
				t.Errorf("only %d changes by the tool fell into the time of typing: nothing was tested", writes)
			}

			want := change(start, writes) + typed
			must.NoError(t, tab.WaitView(ctx, "all changes and all typed characters", func(cells []browser.ViewCell) error {
				if cells[0].Source != want {
					return fmt.Errorf("%q, want %q", cells[0].Source, want)
				}
				return nil
			}))
			tab.Shoot("typed")
			model, err := tab.Model(ctx)
			must.NoError(t, err)
			if model[0].Source != want {
				t.Errorf("the model holds %q, want %q", model[0].Source, want)
			}
			// The last typed text may still be on its way from the tab.
			must.NoError(t, poll.Until(ctx, "the tool to read all", func(context.Context) error {
				if got := kit.ReadCells(t, nbduet, path)[0].Source; got != want {
					return fmt.Errorf("%q, want %q", got, want)
				}
				return nil
			}))
			must.NoError(t, poll.Until(ctx, "the file on disk to hold all", func(context.Context) error {
				cells, err := kit.OnDisk(t, path)
				if err == nil && string(cells[0].Source) != want {
					err = fmt.Errorf("%q", cells[0].Source)
				}
				return err
			}))
		})
	}
}

// A change that the tool makes from an old source is merged into the text that a person has typed since; if both changed
// the same words it is refused with that reason, and nothing is written.
func TestChangeFromOldReading(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("price = 10\nlabel = 'old'"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	kit.ReadCells(t, nbduet, path)

	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Type(ctx, " + ' by hand'"))
	inRoom := func(source string) {
		t.Helper()
		must.NoError(t, poll.Until(ctx, "the typed text on disk, and so in the room", func(context.Context) error {
			cells, err := kit.OnDisk(t, path)
			if err == nil && string(cells[0].Source) != source {
				err = fmt.Errorf("%q", cells[0].Source)
			}
			return err
		}))
	}
	inRoom("price = 10\nlabel = 'old' + ' by hand'")

	const merged = "price = 20\nlabel = 'old' + ' by hand'"
	var answer agent.Executed
	_, err := nbduet.Do(ctx, "modify_nb_cells", modify(path, 0, "price = 20\nlabel = 'old'"), &answer)
	must.NoError(t, err)
	must.SliceLen(t, 1, answer.Merged)
	test.Eq(t, merged, answer.Merged[0].Source)
	see := func(want string) {
		t.Helper()
		must.NoError(t, tab.WaitView(ctx, "the merged source", func(cells []browser.ViewCell) error {
			if cells[0].Source != want {
				return fmt.Errorf("%q, want %q", cells[0].Source, want)
			}
			return nil
		}))
	}
	see(merged)
	tab.Shoot("merged")

	// The person replaces the word that the tool then wants to change.
	must.NoError(t, tab.Press(ctx, kb.Home, kb.ModifierCtrl))
	must.NoError(t, tab.Press(ctx, kb.End, kb.ModifierShift))
	must.NoError(t, tab.Type(ctx, "price = 33"))
	const byHand = "price = 33\nlabel = 'old' + ' by hand'"
	see(byHand)
	// A change that is made before the tool has received the person's is merged with it. Once another cell's write is
	// confirmed, the tool has received all earlier changes of the room.
	inRoom(byHand)
	_, err = nbduet.Do(ctx, "insert_nb_cells", kit.Insert(path, 1, false, "other = 1"), nil)
	must.NoError(t, err)
	refused, err := nbduet.Call(ctx, "modify_nb_cells", modify(path, 0, strings.Replace(merged, "20", "21", 1)))
	must.NoError(t, err)
	test.True(t, refused.IsError, test.Sprint("the tool answered (an error"))
	test.StrContains(t, refused.Text, "33", test.Sprint("the tool answered (an error"))
	test.StrContains(t, refused.Text, "21", test.Sprint("the tool answered (an error"))
	see(byHand)
	tab.Shoot("refused")
}
