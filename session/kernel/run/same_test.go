package run_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// executed is the compared part of a notebook.
type executed struct {
	Cells []struct {
		ID      string           `json:"id"`
		Count   *int             `json:"execution_count"`
		Outputs []map[string]any `json:"outputs"`
	} `json:"cells"`
}

// screened returns a text after its carriage returns and backspaces, each line drawn on a screen line.
func screened(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		var screen []rune
		cursor := 0
		for _, c := range l {
			switch {
			case c == '\r':
				cursor = 0
			case c == '\b' && cursor > 0: // the notebooks have them only at line ends
				cursor--
				screen = screen[:cursor]
			case c == '\b':
			case cursor == len(screen):
				screen = append(screen, c)
				cursor++
			default:
				screen[cursor] = c
				cursor++
			}
		}
		lines[i] = string(screen)
	}
	return strings.Join(lines, "\n")
}

// joined normalizes outputs: nbformat may write texts as lists of lines, and nbclient does not merge pieces of one stream
// or apply carriage returns, as JupyterLab does.
func joined(outs []map[string]any) []map[string]any {
	lines := func(v any) any {
		list, ok := v.([]any)
		if !ok {
			return v
		}
		all := ""
		for _, l := range list {
			s, ok := l.(string)
			if !ok {
				return v
			}
			all += s
		}
		return all
	}
	for _, o := range outs {
		if _, ok := o["text"]; ok {
			o["text"] = lines(o["text"])
		}
		if data, ok := o["data"].(map[string]any); ok {
			for mime := range data {
				data[mime] = lines(data[mime])
			}
		}
	}
	var all []map[string]any
	for _, o := range outs {
		if n := len(all); n > 0 && o["output_type"] == "stream" && all[n-1]["output_type"] == "stream" && all[n-1]["name"] == o["name"] {
			all[n-1]["text"] = all[n-1]["text"].(string) + o["text"].(string)
			continue
		}
		all = append(all, o)
	}
	for _, o := range all {
		if o["output_type"] == "stream" {
			o["text"] = screened(o["text"].(string))
		}
	}
	return all
}

// Each cell of the notebooks has the same outputs as with `jupyter execute`.
func TestOutputsAreThoseOfJupyterExecute(t *testing.T) {
	jupytertest.NeedsReal(t, "what `jupyter execute` makes of notebooks")
	files, err := filepath.Glob("../../../e2e/testdata/runs/*.ipynb")
	must.NoError(t, err)
	must.SliceNotEmpty(t, files)
	jupyter := cmp.Or(os.Getenv("NBDUET_JUPYTER"), "../../../.venv/bin/jupyter")
	s := jupytertest.Shared(t)
	m := sessiontest.Manager(t, s, session.Config{})
	dir := t.TempDir()
	args := []string{"execute", "--inplace", "--allow-errors"}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, filepath.Join(dir, filepath.Base(f)))
	}
	cmd := exec.CommandContext(t.Context(), jupyter, args...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "IPYTHONDIR="+filepath.Join(dir, "ipython")) // tracebacks write ~ for it
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("jupyter execute: %v\n%s", err, out)
	}
	for _, f := range files {
		name := filepath.Base(f)
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var want executed
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		if b, err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
		d := sessiontest.Open(t, m, s.Write(t, s.Name(t, "-"+name), string(b)))
		for _, c := range want.Cells {
			sessiontest.Run(t, d, c.ID) // one at a time: a failing cell would cancel the rest
		}
		for _, c := range want.Cells {
			cell, _ := d.Notebook().Cell(c.ID)
			b, err := json.Marshal(cell.Outputs)
			if err != nil {
				t.Fatal(err)
			}
			got := []map[string]any{}
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			for _, o := range got {
				if s, _ := o["text"].(string); strings.ContainsAny(s, "\r\b") {
					t.Errorf("%s, cell %s: %q is left as it came", name, c.ID, s)
				}
			}
			if !reflect.DeepEqual(joined(got), joined(c.Outputs)) {
				t.Errorf("%s, cell %s:\n got %v\nwant %v", name, c.ID, got, c.Outputs)
			}
			if !reflect.DeepEqual(cell.ExecutionCount, c.Count) {
				t.Errorf("%s, cell %s: the counts differ", name, c.ID)
			}
		}
	}
}
