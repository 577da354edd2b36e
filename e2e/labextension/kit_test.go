package labextension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// The buttons of the extension.
const (
	stopButton     = `[data-jp-item-name="nbduet-stop"] jp-button`
	goOnButton     = `[data-jp-item-name="nbduet-go-on"] jp-button`
	lockButton     = `.jp-NotebookPanel-toolbar [data-jp-item-name="nbduet-lock"] jp-button`
	cellLockButton = `.jp-cell-toolbar [data-jp-item-name="nbduet-lock"] jp-button`
)

// person is a person with a notebook in a tab that has the extension.
type person struct{ *kit.Person }

func open(t *testing.T, path string) *person {
	t.Helper()
	p := &person{kit.OpenURL(t, address(t, path))}
	if notebook7 {
		p.Stock = "Cannot read properties of undefined (reading 'schema')" // of Notebook 7.6, without extensions, too
	}
	return p
}

// address returns the address of a notebook's page.
func address(t *testing.T, path string) string {
	t.Helper()
	l := kit.Jupyter(t)
	if notebook7 {
		return fmt.Sprintf("%s/notebooks/%s?token=%s", l.URL, path, l.Token)
	}
	if single {
		return fmt.Sprintf("%s/doc/tree/%s?token=%s", l.URL, path, l.Token)
	}
	return l.PageURL(strings.TrimSuffix(path, ".ipynb"), path)
}

// name returns the name that others see.
func (p *person) name() string {
	p.T.Helper()
	name, err := p.DisplayName(p.T.Context())
	must.NoError(p.T, err)
	must.NotEq(p.T, "", name)
	return name
}

// text returns the text of a visible element, or "".
func (p *person) text(selector string) string {
	p.T.Helper()
	text, err := browser.Eval[string](p.T.Context(), p.Tab, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText.trim() || "(no text)" : "")(document.querySelector(%q))`, selector))
	must.NoError(p.T, err)
	return text
}

// waitText waits until an element has a text that contains want; with "" until it is not there or not visible.
func (p *person) waitText(selector, want string) {
	p.T.Helper()
	must.NoError(p.T, poll.Until(p.T.Context(), selector, func(context.Context) error {
		if text := p.text(selector); !strings.Contains(text, want) || want == "" && text != "" {
			return fmt.Errorf("%q, not %q", text, want)
		}
		return nil
	}))
}

// press activates a button with the keyboard. In a toolbar the arrow keys lead from the button that has the focus to others.
func (p *person) press(selector string) {
	p.T.Helper()
	ctx := p.T.Context()
	must.NoError(p.T, p.WaitVisible(ctx, selector))
	must.NoError(p.T, poll.Until(ctx, "the focus on "+selector, func(ctx context.Context) error {
		where, err := browser.Eval[string](ctx, p.Tab, fmt.Sprintf(`((a, e) => {
			const bar = ".jp-Toolbar, .jp-cell-toolbar"
			if (a === e) return ""
			if (!a?.closest(bar) || a.closest(bar) !== e.closest(bar)) return (e.shadowRoot?.querySelector("button") ?? e).focus(), "elsewhere"
			return a.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING ? "before" : "behind"
		})(document.activeElement, document.querySelector(%q))`, selector))
		if err != nil || where == "" {
			return err
		}
		return errors.Join(errors.New("it is "+where), p.arrow(ctx, where))
	}))
	must.NoError(p.T, p.Press(ctx, kb.Enter))
}

// arrow presses the arrow key that leads there.
func (p *person) arrow(ctx context.Context, where string) error {
	switch where {
	case "before":
		return p.Press(ctx, kb.ArrowLeft)
	case "behind":
		return p.Press(ctx, kb.ArrowRight)
	}
	return nil
}

// click activates a button with the mouse.
func (p *person) click(selector string) {
	p.T.Helper()
	must.NoError(p.T, p.Click(p.T.Context(), selector))
}

// run begins to execute a command of JupyterLab.
func (p *person) run(command string) {
	p.T.Helper()
	_, err := browser.Eval[bool](p.T.Context(), p.Tab, fmt.Sprintf(`(jupyterapp.commands.execute(%q), true)`, command))
	must.NoError(p.T, err)
}

// menu opens the context menu of an element and chooses a command.
func (p *person) menu(selector, command string) {
	p.T.Helper()
	_, err := browser.Eval[bool](p.T.Context(), p.Tab, fmt.Sprintf(`(e => {
		const {left, top} = e.getBoundingClientRect()
		for (const type of ["mousedown", "mouseup", "contextmenu"])
			e.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, button: 2, clientX: left + 4, clientY: top + 4}))
		return true
	})(document.querySelector(%q))`, selector))
	must.NoError(p.T, err)
	chosen, err := browser.Eval[bool](p.T.Context(), p.Tab, fmt.Sprintf(`(menu => {
		menu.activeIndex = menu.items.findIndex(i => i.command === %q && i.isVisible)
		menu.triggerActiveItem()
		return menu.isAttached === false
	})(jupyterapp.contextMenu.menu)`, command))
	must.NoError(p.T, err)
	must.True(p.T, chosen)
}

// call returns the text of a refused call, "" for one that was carried out.
func call(t *testing.T, a *agent.Agent, tool string, args map[string]any) (refusal string) {
	t.Helper()
	answer, err := a.Call(t.Context(), tool, args)
	must.NoError(t, err)
	if answer.IsError {
		return answer.Text
	}
	return ""
}

// writing returns a function that changes a cell with the source "n = 0", each time to another number, and returns the text
// of a refusal.
func writing(t *testing.T, a *agent.Agent, path, cell string) func() (refusal string) {
	n := 0
	return func() string {
		t.Helper()
		said := call(t, a, "edit_text", map[string]any{"path": path, "cell_id": cell, "old_text": fmt.Sprint("n = ", n), "new_text": fmt.Sprint("n = ", n+1), "force": true})
		if said == "" {
			n++
		}
		return said
	}
}

// waitCall waits until an edit is refused with a text that contains want, or with "" until it is carried out.
func waitCall(t *testing.T, want string, try func() string) (got string) {
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "the answer", func(context.Context) error {
		got = try()
		if !strings.Contains(got, want) || want == "" && got != "" {
			return fmt.Errorf("%q, not %q", got, want)
		}
		return nil
	}))
	return got
}
