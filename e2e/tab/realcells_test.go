package tab_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// Beside a tab: a thread's output after its cell has ended appears in the cell; the text around a pasted picture is
// changed, and the tab still draws it; a locked cell stays unchanged, and runs.
func TestCellsOfRealNotebooks(t *testing.T) {
	ctx := t.Context()
	picture := image.NewGray(image.Rect(0, 0, 120, 60))
	for x := range 120 {
		picture.Set(x, x/2, color.White)
	}
	var b bytes.Buffer
	must.NoError(t, png.Encode(&b, picture))
	uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	text := string(kit.NotebookText(t, []kit.Cell{
		kit.Code("import threading, time\nprint('now')\ndef late():\n    time.sleep(2)\n    print('late', flush=True)\nthreading.Thread(target=late).start()"),
		kit.Markdown("Before the picture.\n\n![shot](" + uri + ")"),
		kit.Code("print(6 * 7)"),
	}))
	at := strings.LastIndex(text, `"metadata":{}`)
	text = text[:at] + `"metadata":{"editable":false,"deletable":false}` + text[at+len(`"metadata":{}`):]
	kit.AddNotebook(t, "real-cells.ipynb", []byte(text))
	tab := open(t, "real-cells.ipynb")
	nbduet := kit.StartAgent(t)
	call := func(tool string, args map[string]any) (text string, refused bool) {
		t.Helper()
		args["path"] = "real-cells.ipynb"
		answer, err := nbduet.Call(ctx, tool, args)
		must.NoError(t, err)
		t.Logf("%s %v\n%s", tool, args, answer.Text)
		return answer.Text, answer.IsError
	}
	read, _ := call("read_nb_cells", map[string]any{})
	test.StrContains(t, read, "![shot](data:image/png, ")
	test.StrNotContains(t, read, "base64")
	test.StrContains(t, read, `"editable":false`)

	_, refused := call("execute_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 0}}})
	test.False(t, refused)
	tab.see(t, nil, 0, "[1]:", "now\nlate")
	tab.Shoot("late output")

	_, refused = call("edit_text", map[string]any{"old_text": "Before", "new_text": "Beside"})
	test.False(t, refused)
	must.NoError(t, poll.Until(ctx, "the tab to draw the new words and the picture", func(ctx context.Context) error {
		drawn, err := browser.Eval[string](ctx, tab.Tab, `(cell => cell.innerText.trim() + " " + cell.querySelector("img").naturalWidth)(document.querySelector(".jp-MarkdownCell .jp-MarkdownOutput"))`)
		if err == nil && drawn != "Beside the picture. 120" {
			err = errors.New(drawn)
		}
		return err
	}))
	tab.Shoot("pasted picture")

	said, refused := call("modify_nb_cells", map[string]any{"exec": false, "force": true, "modifications": []map[string]any{{"range": map[string]any{"start": 2}, "content": "print(0)"}}})
	test.True(t, refused)
	test.StrContains(t, said, "is locked")
	_, refused = call("delete_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 2}}})
	test.True(t, refused)
	_, refused = call("execute_nb_cells", map[string]any{"ranges": []map[string]any{{"start": 2}}})
	test.False(t, refused)
	tab.see(t, nil, 2, "[2]:", "42")
	tab.Shoot("locked cell")
}
