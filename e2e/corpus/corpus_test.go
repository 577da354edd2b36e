package corpus_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// TestOnlyTheEditIsNew reads each notebook of the corpus, changes a cell, inserts one and runs it, and compares the
// saved file with the file after the same edits by a plain member of the room.
func TestOnlyTheEditIsNew(t *testing.T) {
	files := notebooks()
	must.GreaterEq(t, 60, len(files))
	a := kit.StartAgent(t, "--toolsets=all")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := strings.NewReplacer(" ", "-", ".", "_").Replace(name) + ".ipynb"
			kit.AddNotebook(t, path, []byte(files[name]))
			original := filepath.Join(t.TempDir(), "original.ipynb")
			must.NoError(t, os.WriteFile(original, []byte(files[name]), 0o600))

			got, made := edited(t, a, path)
			want := member(t, original, made)
			if strings.HasPrefix(name, "3 ") || name == "no cells" {
				withoutIDs(got)
				withoutIDs(want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-a plain member's, +nbduet's:\n%s", diff)
			}
		})
	}
}

// edits are a notebook's edits, in the form that member.py takes.
type edits struct {
	At       int            `json:"at"`
	Source   string         `json:"source"`
	New      map[string]any `json:"new"`
	Language any            `json:"language_info"`
}

// edited makes the edits with the tools and returns the saved file.
func edited(t *testing.T, a *agent.Agent, path string) (map[string]any, edits) {
	t.Helper()
	do := func(tool string, args map[string]any, out any) {
		t.Helper()
		args["path"] = path
		_, err := a.Do(t.Context(), tool, args, out)
		must.NoError(t, err, must.Sprint(tool))
	}
	var read struct {
		Cells []struct{ Source string }
	}
	do("read_nb_cells", map[string]any{}, &read)
	must.SliceNotEmpty(t, read.Cells)
	made := edits{Source: "edited = True"}
	do("modify_nb_cells", map[string]any{"exec": false, "modifications": []map[string]any{{"range": map[string]any{"start": 0}, "content": made.Source}}}, nil)
	var inserted struct {
		IDs     []string `json:"cell_ids"`
		Results []struct {
			Count int `json:"execution_count"`
		} `json:"execution_results"`
	}
	do("insert_nb_cells", map[string]any{"position": len(read.Cells), "cells": []map[string]any{{"content": "print(6*7)"}}}, &inserted)
	must.SliceLen(t, 1, inserted.IDs)
	must.SliceLen(t, 1, inserted.Results)
	made.New = map[string]any{
		"id": inserted.IDs[0], "cell_type": "code", "source": "print(6*7)", "metadata": map[string]any{}, "execution_count": inserted.Results[0].Count,
		"outputs": []any{map[string]any{"output_type": "stream", "name": "stdout", "text": "42\n"}},
	}
	do("end_nb_session", map[string]any{}, nil)
	text, err := os.ReadFile(kit.Jupyter(t).Path(path))
	must.NoError(t, err)
	file := decoded(t, text)
	// A run writes the kernel's language if the notebook has another or none, as a tab does.
	metadata, _ := file["metadata"].(map[string]any)
	made.Language = metadata["language_info"]
	return file, made
}

// member makes the edits as a plain member of the room and returns the file that the server writes.
func member(t *testing.T, original string, made edits) map[string]any {
	t.Helper()
	input, err := json.Marshal(made)
	must.NoError(t, err)
	program, err := lab.Program()
	must.NoError(t, err)
	var out, failure bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(program), "python"), "member.py", original)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &failure
	must.NoError(t, cmd.Run(), must.Sprint(failure.String()))
	return decoded(t, out.Bytes())
}

func decoded(t *testing.T, text []byte) (file map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // 1 is not 1.0
	must.NoError(t, d.Decode(&file))
	return file
}

// withoutIDs removes ids, because a conversion from format 3, and the room of a notebook without cells, generate them.
func withoutIDs(file map[string]any) {
	cells, _ := file["cells"].([]any)
	for _, c := range cells {
		cell, _ := c.(map[string]any)
		delete(cell, "id")
	}
}

// TestCorpusIsValid checks that each file of the corpus is JSON.
func TestCorpusIsValid(t *testing.T) {
	for name, text := range notebooks() {
		test.True(t, json.Valid([]byte(text)), test.Sprint(name))
	}
}
