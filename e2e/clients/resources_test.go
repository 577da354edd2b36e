package clients_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// readText reads a resource with one text.
func readText(t *testing.T, c *sdk.Client, uri string) sdk.Contents {
	t.Helper()
	list, err := c.Read(t.Context(), uri)
	must.NoError(t, err)
	must.SliceLen(t, 1, list)
	must.Eq(t, uri, list[0].URI)
	return list[0]
}

// listedNotebook is an entry of notebook://list.
type listedNotebook struct {
	ID, SessionID, Pattern, CreatedAt, Path, URI string
	CellCount                                    int
}

// notebooksOf reads notebook://list.
func notebooksOf(t *testing.T, c *sdk.Client) (list []listedNotebook) {
	t.Helper()
	got := readText(t, c, "notebook://list")
	if got.MIMEType != "application/json" {
		t.Errorf("the list is %s", got.MIMEType)
	}
	must.NoError(t, json.Unmarshal([]byte(got.Text), &list))
	return list
}

// A client of the TypeScript SDK finds its notebooks, inspects and exports them, reads a single cell, its outputs and a
// run, and polls for changes, as the resources' contract says.
func TestNotebookResources(t *testing.T) {
	c := typescriptStdio(t, "--toolsets=all")
	if _, err := c.Read(t.Context(), "notebook://current"); refusedWith(err, "No notebook for current session") != nil {
		t.Error(refusedWith(err, "No notebook for current session"))
	}
	if list := notebooksOf(t, c); len(list) != 0 {
		t.Errorf("the list of a new client is %+v", list)
	}
	path := kit.NewNotebook(t, kit.Markdown("# Growth"), kit.Code("class TreeNode:\n    pass\nprint('made')"))
	base := fmt.Sprintf("%s-%d", strings.TrimSuffix(path, ".ipynb"), time.Now().UnixNano()) // unique to this test
	var made struct{ Path, Pattern string }
	typescriptDo(t, c, "notebook_from_template", map[string]any{"pattern": "tree_of_thought", "path": base + "-tree.ipynb"}, &made)
	var ran struct {
		Results []struct {
			RunID string `json:"run_id"`
		} `json:"execution_results"`
	}
	typescriptDo(t, c, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 1}}}, &ran)

	// Inspect each notebook in the list.
	resources, err := c.Resources(t.Context())
	must.NoError(t, err)
	names := map[string]string{}
	for _, r := range resources {
		names[r.URI] = r.Name
		if strings.HasPrefix(r.URI, "notebook://") && readText(t, c, r.URI).MIMEType != r.MIMEType {
			t.Errorf("%s is listed as %s", r.URI, r.MIMEType)
		}
	}
	list := notebooksOf(t, c)
	if len(list) != 2 {
		t.Fatalf("the list is %+v", list)
	}
	mine, tree := list[0], list[1]
	if mine.Path != path {
		mine, tree = tree, mine
	}
	test.Eq(t, "tree_of_thought", tree.Pattern)
	test.Eq(t, "Tree of Thought Notebook", names[tree.URI])
	test.Eq(t, 2, mine.CellCount)
	test.StrHasPrefix(t, "20", mine.CreatedAt)
	test.Eq(t, "notebook://"+mine.SessionID+"/"+mine.ID, mine.URI)

	// Export the current session's notebook, and import it again.
	current := readText(t, c, "notebook://current")
	test.StrContains(t, current.Text, "# Growth\n")
	test.StrContains(t, current.Text, "###### cell-1.py\n\n```python\nclass TreeNode:")
	test.EqOp[any](t, 2.0, current.Meta["cellCount"])
	file := strings.TrimSuffix(path, ".ipynb") + ".src.md"
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(file), []byte(current.Text), 0o600))
	var imported struct {
		URI string `json:"resource_uri"`
	}
	typescriptDo(t, c, "notebook_import", map[string]any{"path": base + "-again.ipynb", "source_path": file}, &imported)
	if again := readText(t, c, imported.URI+"/cells/cell-1"); again.Text != "class TreeNode:\n    pass\nprint('made')" {
		t.Errorf("imported, the cell is %q", again.Text)
	}

	// A cell, its output, and its run.
	cell := readText(t, c, mine.URI+"/cells/cell-1")
	test.Eq(t, "text/x-python", cell.MIMEType)
	test.EqOp[any](t, "cell-1.py", cell.Meta["filename"])
	test.EqOp[any](t, true, cell.Meta["hasOutputs"])
	test.EqOp[any](t, "python", cell.Meta["language"])
	for _, at := range []string{mine.URI + "/cells/cell-1/outputs", mine.URI + "/executions/" + ran.Results[0].RunID, mine.URI + "/json"} {
		got := readText(t, c, at)
		test.StrContains(t, got.Text, `made\n`, test.Sprint(at))
		test.Eq(t, "application/json", got.MIMEType, test.Sprint(at))
	}
	if export := readText(t, c, "file:///notebooks/"+mine.SessionID+"/"+strings.TrimSuffix(path, ".ipynb")+".src.md"); export.Text != readText(t, c, mine.URI+"/srcmd").Text {
		t.Errorf("the export is %s", export.Text)
	}

	// Completions, and missing resources.
	templates, err := c.Templates(t.Context())
	must.NoError(t, err)
	if len(templates) < 10 {
		t.Errorf("%d templates", len(templates))
	}
	done, err := c.CompleteTemplate(t.Context(), "notebook://{session_id}/{notebook_id}/cells/{cell_id}", "cell_id", "cell-", map[string]string{"session_id": mine.SessionID, "notebook_id": mine.ID})
	must.NoError(t, err)
	if fmt.Sprint(done.Values) != "[cell-0 cell-1]" {
		t.Errorf("completed with %v", done.Values)
	}
	for uri, message := range map[string]string{
		"notebook://session-123/nb-456": "Notebook not found", mine.URI + "/cells/cell-789": "Cell not found", mine.URI + "/bogus": "Unknown format: bogus",
		"http://x/y": "Unknown resource: http://x/y", "notebook://templates/none": "Template not found",
	} {
		_, err := c.Read(t.Context(), uri)
		if wrong := refusedWith(err, message); wrong != nil {
			t.Errorf("%s: %v", uri, wrong)
		}
	}

	// Another client finds none of it.
	other := typescriptStdio(t)
	if list := notebooksOf(t, other); len(list) != 0 {
		t.Errorf("another client lists %+v", list)
	}
	_, err = other.Read(t.Context(), mine.URI)
	if wrong := refusedWith(err, "Notebook not found"); wrong != nil {
		t.Error(wrong)
	}
}

// refusedWith checks that an error is an "invalid parameters" error with a message.
func refusedWith(err error, message string) error {
	var e *sdk.Error
	if !errors.As(err, &e) || e.Code != -32602 || !strings.Contains(e.Message, message) {
		return fmt.Errorf("the error is %w, not %q of code -32602", err, message)
	}
	return nil
}

// heardOf waits for a notification that a resource has changed.
func heardOf(t *testing.T, c *sdk.Client, uri string) {
	t.Helper()
	_, err := c.Await(t.Context(), "notifications/resources/updated", func(params json.RawMessage) bool {
		var p struct{ URI string }
		return json.Unmarshal(params, &p) == nil && p.URI == uri
	})
	must.NoError(t, err)
}

// A client that has subscribed to a cell is notified when a person types into it.
func TestTypingIsNotified(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("x = 1"), kit.Code("y = 2"))
	tab := kit.Open(t, path)
	c := typescriptStdio(t)
	var stat struct{ Path string }
	typescriptDo(t, c, "get_nb_stat", map[string]any{"path": path}, &stat)
	_, err := c.Await(ctx, "notifications/resources/list_changed", nil)
	must.NoError(t, err)
	uri := notebooksOf(t, c)[0].URI
	must.NoError(t, c.Subscribe(ctx, uri+"/cells/cell-0"))
	must.NoError(t, c.Subscribe(ctx, uri))

	must.NoError(t, tab.EditCell(ctx, 0))
	must.NoError(t, tab.Type(ctx, " # typed by hand"))
	heardOf(t, c, uri+"/cells/cell-0")
	heardOf(t, c, uri)
	tab.Shoot("typed")
	for !strings.Contains(readText(t, c, uri+"/cells/cell-0").Text, "# typed by hand") {
		heardOf(t, c, uri+"/cells/cell-0") // while more updates follow
	}
}
