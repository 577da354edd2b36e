package tab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// newText writes a text file with a name unique to the test into JupyterLab's folder and returns its path there.
func newText(t *testing.T, content string) string {
	t.Helper()
	name := strings.ReplaceAll(t.Name(), "/", "-") + ".py"
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(name), []byte(content), 0o600))
	return name
}

// editor is a text file that a person has open in a tab.
type editor struct {
	*kit.Person
	t *testing.T
}

const widget = `window.jupyterapp?.shell?.currentWidget`

// openText opens a text file in JupyterLab's editor.
func openText(t *testing.T, path string) *editor {
	t.Helper()
	tab := kit.OpenTab(t)
	tab.Moved = true
	e := &editor{tab, t}
	ctx := t.Context()
	_, err := browser.Eval[bool](ctx, tab.Tab, fmt.Sprintf("(setTimeout(() => { location.href = %q }), true)", kit.Jupyter(t).PageURL(strings.TrimSuffix(path, ".py"), path)))
	must.NoError(t, err)
	must.NoError(t, poll.Until(ctx, "the text to be in the page", func(ctx context.Context) error {
		ready, err := browser.Eval[bool](ctx, tab.Tab, `!!(`+widget+`?.context?.isReady && document.querySelector(".jp-FileEditor .cm-content"))`)
		if err == nil && !ready {
			err = errors.New("not yet")
		}
		return err
	}))
	return e
}

// shows waits until the editor's lines and the tab's path are these.
func (e *editor) shows(path, content string) {
	e.t.Helper()
	must.NoError(e.t, poll.Until(e.t.Context(), "the tab to show it", func(ctx context.Context) error {
		got, err := browser.Eval[[]string](ctx, e.Tab, `[
			`+widget+`.context.localPath,
			[...document.querySelectorAll(".jp-FileEditor .cm-content .cm-line")].map(l => l.textContent).join("\n"),
		]`)
		if err == nil && (got[0] != path || got[1] != content) {
			err = fmt.Errorf("%q", got)
		}
		return err
	}))
}

// typeAtEnd types at the end of the text.
func (e *editor) typeAtEnd(text string) {
	e.t.Helper()
	ctx := e.t.Context()
	must.NoError(e.t, e.ClickInto(ctx, ".jp-FileEditor .cm-content"))
	must.NoError(e.t, e.Press(ctx, kb.End, kb.ModifierCtrl))
	must.NoError(e.t, e.Type(ctx, text))
}

// fileBecomes waits until a file has a content.
func fileBecomes(t *testing.T, path, want string) {
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "the file "+path, func(context.Context) error {
		b, err := os.ReadFile(kit.Jupyter(t).Path(path))
		if err == nil && string(b) != want {
			err = fmt.Errorf("it holds %q, want %q", b, want)
		}
		return err
	}))
}

// An open tab shows the agent's edits of a text, stays open under the text's new name, and typed text is in the agent's
// copy at once.
func TestOpenTextIsOverwrittenRenamedCopied(t *testing.T) {
	ctx := t.Context()
	path := newText(t, "one = 1\ntwo = 2\n")
	tab := openText(t, path)
	nbduet := kit.StartAgent(t)
	do := func(tool string, args map[string]any) {
		t.Helper()
		_, err := nbduet.Do(ctx, tool, args, nil)
		must.NoError(t, err)
	}
	agentReads := func(path, content string) {
		t.Helper()
		must.NoError(t, poll.Until(ctx, "the agent to read what was typed", func(ctx context.Context) error {
			var read struct {
				Content string `json:"content"`
			}
			_, err := nbduet.Do(ctx, "get_document_content", map[string]any{"path": path}, &read)
			if err == nil && read.Content != content {
				err = fmt.Errorf("%q", read.Content)
			}
			return err
		}))
	}
	// Text that the agent does not know is not overwritten.
	tab.typeAtEnd("three = 3")
	agentReads(path, "one = 1\ntwo = 2\nthree = 3")
	do("overwrite_document", map[string]any{"path": path, "content": "one = 100 # 😀\ntwo = 2\nthree = 3"})
	tab.shows(path, "one = 100 # 😀\ntwo = 2\nthree = 3")
	tab.typeAtEnd(" # four")
	tab.shows(path, "one = 100 # 😀\ntwo = 2\nthree = 3 # four")

	to := "renamed-" + path
	do("rename_document", map[string]any{"path": path, "newPath": to})
	tab.shows(to, "one = 100 # 😀\ntwo = 2\nthree = 3 # four")
	tab.typeAtEnd(" five")
	const all = "one = 100 # 😀\ntwo = 2\nthree = 3 # four five"
	agentReads(to, all)
	do("copy_document", map[string]any{"path": to, "copyPath": "copy-" + path})
	b, err := os.ReadFile(kit.Jupyter(t).Path("copy-" + path))
	must.NoError(t, err)
	test.Eq(t, all, string(b))
	fileBecomes(t, to, all)
	if _, err := os.Stat(kit.Jupyter(t).Path(path)); !os.IsNotExist(err) {
		t.Errorf("there is a file under the old name: %v", err)
	}
}

// A tab keeps showing a text that the agent deletes, and the room does not write it again: neither to the old file nor
// to a new file of that name. (Only if the person saves it, JupyterLab itself makes the file again.)
func TestOpenTextIsDeleted(t *testing.T) {
	ctx := t.Context()
	path := newText(t, "old = 1\n")
	tab := openText(t, path)
	nbduet := kit.StartAgent(t)
	_, err := nbduet.Do(ctx, "insert_document_text", map[string]any{"path": path, "position": 0, "text": "# "}, nil)
	must.NoError(t, err)
	tab.shows(path, "# old = 1\n")
	_, err = nbduet.Do(ctx, "delete_document", map[string]any{"path": path}, nil)
	must.NoError(t, err)
	tab.typeAtEnd("typed afterwards")
	tab.shows(path, "# old = 1\ntyped afterwards")
	time.Sleep(2 * time.Second) // the server saves a second after the last change
	if _, err := os.Stat(kit.Jupyter(t).Path(path)); !os.IsNotExist(err) {
		t.Fatalf("the file is back: %v", err)
	}
	_, err = nbduet.Do(ctx, "create_document", map[string]any{"path": path, "type": "file", "content": "new = 1\n"}, nil)
	must.NoError(t, err)
	tab.typeAtEnd(" and more")
	time.Sleep(2 * time.Second)
	fileBecomes(t, path, "new = 1\n")
	_, err = nbduet.Do(ctx, "insert_document_text", map[string]any{"path": path, "position": 8, "text": "more = 2\n"}, nil)
	must.NoError(t, err)
	fileBecomes(t, path, "new = 1\nmore = 2\n")
}

// An open notebook shows at once the content it was overwritten with, a cell in which a person is typing stays that
// cell, and after a rename everything continues.
func TestOpenNotebookIsOverwrittenAndRenamed(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("a = 1"), kit.Code("gone = 1"), kit.Markdown("# Title"))
	tab := open(t, path)
	nbduet := kit.StartAgent(t)
	var read struct {
		Content string `json:"content"`
	}
	_, err := nbduet.Do(ctx, "get_document_content", map[string]any{"path": path}, &read)
	must.NoError(t, err)
	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Type(ctx, " # typed 😀"))
	must.NoError(t, tab.WaitView(ctx, "the typed text", func(cells []browser.ViewCell) error {
		if cells[0].Source != "a = 1 # typed 😀" {
			return fmt.Errorf("%q", cells[0].Source)
		}
		return nil
	}))
	const content = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}}, "cells": [
		{"id": "new", "cell_type": "code", "source": "new = 1", "metadata": {}, "outputs": [{"output_type": "stream", "name": "stdout", "text": "printed"}], "execution_count": 7},
		{"id": "cell-0", "cell_type": "code", "source": "import x\na = 1", "metadata": {}, "outputs": [], "execution_count": null}]}`
	// Both change the person's cell, at different places; the title is deleted.
	must.NoError(t, poll.Until(ctx, "the agent to have the typed text", func(ctx context.Context) error {
		_, err := nbduet.Do(ctx, "overwrite_document", map[string]any{"path": path, "content": content}, nil)
		return err
	}))
	want := func(source string) func([]browser.ViewCell) error {
		return func(cells []browser.ViewCell) error {
			if len(cells) != 2 || cells[0].Source != "new = 1" || cells[0].Prompt != "[7]:" || len(cells[0].Outputs) != 1 ||
				!strings.Contains(cells[0].Outputs[0].Text, "printed") || cells[1].Source != source {
				return fmt.Errorf("%+v", cells)
			}
			return nil
		}
	}
	must.NoError(t, tab.WaitView(ctx, "the new cells", want("import x\na = 1 # typed 😀")))
	must.NoError(t, tab.Type(ctx, " on")) // the caret has not moved
	must.NoError(t, tab.WaitView(ctx, "what is typed on", want("import x\na = 1 # typed 😀 on")))
	tab.Shoot("overwritten")

	to := "renamed-" + path
	tab.Moved = true
	_, err = nbduet.Do(ctx, "rename_document", map[string]any{"path": path, "newPath": to}, nil)
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := kit.Jupyter(t).EndKernel(context.Background(), to); err != nil {
			t.Error(err)
		}
	})
	must.NoError(t, tab.Type(ctx, "!"))
	must.NoError(t, poll.Until(ctx, "the file of the new name", func(context.Context) error {
		cells, err := kit.OnDisk(t, to)
		if err == nil && (len(cells) != 2 || string(cells[1].Source) != "import x\na = 1 # typed 😀 on!") {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
	if _, err := os.Stat(kit.Jupyter(t).Path(path)); !os.IsNotExist(err) {
		t.Errorf("there is a file under the old name: %v", err)
	}
	if cells := kit.ReadCells(t, nbduet, to); len(cells) != 2 {
		t.Errorf("the agent reads %+v", cells)
	}
}
