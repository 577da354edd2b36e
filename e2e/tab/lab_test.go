package tab_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// The basis of the other tests, without nbduet: text that is typed and run in a tab is in the page, in the model and in
// the file.
func TestTypedAndRunInTab(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Markdown("# Title"), kit.Code("1 + 1"))
	tab := open(t, path)
	tab.Shoot("opened")

	const typed = " + 40  # größer 😀"
	must.NoError(t, tab.EditCell(ctx, 1))
	must.NoError(t, tab.Type(ctx, typed))
	must.NoError(t, tab.Press(ctx, kb.Enter, kb.ModifierCtrl))
	must.NoError(t, tab.WaitView(ctx, "the result in the page", func(cells []browser.ViewCell) error {
		if len(cells) != 2 || cells[1].Prompt != "[1]:" || len(cells[1].Outputs) != 1 || strings.TrimSpace(cells[1].Outputs[0].Text) != "42" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	tab.Shoot("run")

	model, err := tab.Model(ctx)
	must.NoError(t, err)
	test.Eq(t, "cell-1", model[1].ID)
	test.Eq(t, "1 + 1"+typed, model[1].Source)
	must.NoError(t, poll.Until(ctx, "the file on disk to hold the cell", func(context.Context) error {
		cells, err := kit.OnDisk(t, path)
		if err == nil && (len(cells) != 2 || string(cells[1].Source) != "1 + 1"+typed || cells[1].ExecutionCount == nil || len(cells[1].Outputs) != 1) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
}

// Two tabs are two people, and both see one person's typing.
func TestTwoPeople(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code(""))
	one, two := open(t, path), open(t, path)
	must.NoError(t, one.EditCell(ctx, 0))
	must.NoError(t, one.Type(ctx, "shared = True"))
	must.NoError(t, two.WaitView(ctx, "the other's text", func(cells []browser.ViewCell) error {
		if cells[0].Source != "shared = True" {
			return fmt.Errorf("%+v", cells)
		}
		return nil
	}))
	must.NoError(t, poll.Until(ctx, "the other in the panel", func(ctx context.Context) error {
		people, err := two.Collaborators(ctx)
		if err == nil && (len(people) != 1 || !strings.Contains(people[0], "Anonymous")) {
			err = fmt.Errorf("%q", people)
		}
		return err
	}))
	two.Shoot("panel")
}
