package browser

import (
	"context"
	"errors"
	"fmt"
)

// Caret is the position of the caret in a notebook's tab, from CodeMirror. Offsets are in UTF-16 code units.
type Caret struct {
	Cell   string `json:"cell"`   // its id
	Source string `json:"source"` // of the editor
	Anchor int    `json:"anchor"` // start of the selection
	Head   int    `json:"head"`   // position of the caret
	Text   string `json:"text"`   // selected text
}

// Caret reads the caret's position. It returns an error if no cell's editor has the focus.
func (n *Notebook) Caret(ctx context.Context) (Caret, error) {
	c, err := Eval[Caret](ctx, n.Tab, `(() => {
		const cell = `+current+`.content.activeCell
		const view = cell?.editor?.editor
		if (!view?.hasFocus || !document.hasFocus()) return {cell: ""}
		const {anchor, head, from, to} = view.state.selection.main
		return {cell: cell.model.sharedModel.getId(), source: view.state.doc.toString(), anchor, head, text: view.state.sliceDoc(from, to)}
	})()`)
	if err == nil && c.Cell == "" {
		err = errors.New("no cell's editor has the focus")
	}
	return c, err
}

// Select puts the caret, and a selection before it, into the source of the cell at index, which must be in the visible
// part of the page. An offset past the end means the end: another person may just have shortened the source.
func (n *Notebook) Select(ctx context.Context, index, anchor, head int) error {
	_, err := Eval[bool](ctx, n.Tab, fmt.Sprintf(`(() => {
		const list = %s.content
		list.activeCellIndex = %d
		if (list.activeCell.rendered) list.activeCell.rendered = false
		list.mode = "edit"
		const view = list.activeCell.editor.editor
		view.focus()
		const end = view.state.doc.length
		view.dispatch({selection: {anchor: Math.min(end, %d), head: Math.min(end, %d)}, userEvent: "select.pointer"})
		return true
	})()`, current, index, anchor, head))
	return err
}

// CaretsOf returns the carets of the user with that username in the tab's copy of the room's awareness.
func (n *Notebook) CaretsOf(ctx context.Context, username string) (string, error) {
	return Eval[string](ctx, n.Tab, `(() => {
		const awareness = `+current+`.context.model.sharedModel.awareness
		return JSON.stringify([...awareness.getStates().values()].filter(s => s.user?.username === `+quote(username)+`).map(s => s.cursors ?? null))
	})()`)
}

// Username returns the username by which others see the person at the tab.
func (n *Notebook) Username(ctx context.Context) (string, error) {
	return Eval[string](ctx, n.Tab, current+`.context.model.sharedModel.awareness.getLocalState()?.user?.username ?? ""`)
}
