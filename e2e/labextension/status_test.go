package labextension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// inView waits until a cell is in the visible part of the notebook.
func (p *person) inView(cell string) {
	p.T.Helper()
	must.NoError(p.T, poll.Until(p.T.Context(), cell+" in view", func(ctx context.Context) error {
		there, err := p.InView(ctx, cell)
		if err == nil && !there {
			err = errors.New("it is not")
		}
		return err
	}))
}

// The status bar shows each agent with its picture and its work. A click scrolls there; "Follow" scrolls with the agent,
// until the person scrolls.
func TestStatus(t *testing.T) {
	ctx := t.Context()
	cells := make([]kit.Cell, 60)
	for i := range cells {
		cells[i] = kit.Code("n = 0")
	}
	path := kit.NewNotebook(t, cells...)
	tab := open(t, path)
	claude, second := kit.StartAgent(t), kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	kit.ReadCells(t, second, path)
	write := func(cell int) {
		t.Helper()
		test.Eq(t, "", writing(t, claude, path, fmt.Sprint("cell-", cell))())
	}
	const agents = `.nbduet-agent`
	must.NoError(t, poll.Until(ctx, "two agents", func(ctx context.Context) error {
		n, err := browser.Eval[int](ctx, tab.Tab, `document.querySelectorAll(".nbduet-agent img").length`)
		if err == nil && n != 2 {
			err = fmt.Errorf("%d pictures", n)
		}
		return err
	}))
	write(50)
	tab.waitText(agents+":has(button[title*='cell 51'])", "cell 51")
	tab.Shoot("status")
	tab.click(agents + " button[title*='cell 51']")
	tab.inView("cell-50")

	name := strings.Split(tab.text(agents+":has(button[title*='cell 51'])"), ":")[0]
	follow := fmt.Sprintf(`button[aria-label="Follow %s"]`, name)
	tab.press(follow)
	must.NoError(t, tab.WaitVisible(ctx, follow+`[aria-pressed="true"]`))
	write(2)
	tab.inView("cell-2")
	write(55)
	tab.inView("cell-55")
	must.NoError(t, tab.Click(ctx, `.jp-Notebook-cell[data-windowed-list-index="55"] .jp-InputPrompt`))
	must.NoError(t, tab.Press(ctx, kb.ArrowUp))
	must.NoError(t, tab.WaitVisible(ctx, follow+`[aria-pressed="false"]`))
	write(3)
	tab.waitText(agents+":has(button[title*='cell 4'])", "cell 4")
	there, err := tab.InView(ctx, "cell-3")
	must.NoError(t, err)
	test.False(t, there)
}

// Malformed and hostile entries in the room are ignored, and named once in the console; no HTML is made of them.
func TestHostileRoom(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("axis = 0"))
	tab := open(t, path)
	claude := kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	tab.waitText(stopButton, "Stop")
	_, err := browser.Eval[bool](ctx, tab.Tab, `(model => {
		window.warned = []
		const {warn} = console
		console.warn = (...all) => { window.warned.push(all.join(" ")); warn(...all) }
		const html = "<img src=x onerror='window.hostile = true'>"
		const at = new Date().toISOString()
		for (let i = 0; i < 50; i++)
			for (const [key, value] of Object.entries({
				["*:" + html]: {username: html, name: html, since: at},
				["*:a" + i]: {username: "b", since: at}, ["*:c" + i]: true, ["*:d" + i]: {username: "d" + i, since: "soon"}, ["*:e" + i]: [],
				["*:f" + i]: {username: {}, since: at}, "": null, "cell-0:g": {username: "g", name: "\u202e\n".repeat(5000), since: at, stop: true},
			})) model.ystate.set("nbduet:hands_off:" + key, value)
		return true
	})(jupyterapp.shell.currentWidget.context.model.sharedModel)`)
	must.NoError(t, err)
	must.NoError(t, tab.WaitVisible(ctx, lockButton+`.nbduet-held`))
	tab.Shoot("hostile")
	found, err := browser.Eval[string](ctx, tab.Tab, `JSON.stringify([window.hostile ?? false, window.warned.filter(w => w.startsWith("nbduet")).length])`)
	must.NoError(t, err)
	test.Eq(t, "[false,1]", found)
	test.Eq(t, "Stop", tab.text(stopButton), test.Sprint("only the notebook is stopped"))
}
