package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// However the program ends, the next one undoes its edits. nbduet journal lists the notebook, and removes its edits.
func TestUndoesTheEditsOfTheLast(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	for name, sig := range map[string]syscall.Signal{"stdin closed": 0, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			path, state := s.Notebook(t, "x = 1", "y = 2"), filepath.Join(t.TempDir(), "state.db")
			flags := []string{"--jupyter-url=" + s.URL, "--token=" + s.Token, "--state=" + state, "--log-level=error", "--toolsets=all"}
			first := spawn(t, flags...)
			first.call("read_nb_cells", map[string]any{"path": path})
			first.call("modify_nb_cells", map[string]any{"path": path, "exec": false, "modifications": []any{map[string]any{"range": map[string]any{"start": 0}, "content": "x = 10"}}})
			first.call("delete_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 1}}})
			if sig == syscall.SIGKILL {
				time.Sleep(3 * time.Second) // a killed program loses about its last second
			}
			first.end(sig)

			second := spawn(t, flags...)
			list := second.call("list_agent_edits", map[string]any{"path": path})
			test.SliceLen(t, 2, list["steps"].([]any))
			undone := second.call("undo_agent", map[string]any{"path": path, "task": true})
			test.SliceLen(t, 2, undone["steps"].([]any))
			got := fmt.Sprint(second.call("read_nb_cells", map[string]any{"path": path}))
			test.StrContains(t, got, "x = 1 ")
			test.StrContains(t, got, "y = 2")
			second.end(0)

			prints := func(says []string, args ...string) {
				t.Helper()
				o := start(t, nil, append([]string{"journal", "--state", state}, args...)...)
				test.Eq(t, exitOK, o.code, test.Sprint(o.stderr))
				for _, want := range says {
					test.StrContains(t, o.stdout, want)
				}
			}
			prints([]string{path + " on " + s.URL, "has 2 edits", "1 notebook in " + strings.TrimSuffix(state, ".db") + ".journal.db"})
			start(t, nil, "journal", "--state", state, "--remove", "other.ipynb").is(t, exitUsage, "no edits of other.ipynb")
			prints([]string{path, "had 2 edits"}, "--remove", path)
			prints([]string{"0 notebooks in"})
			third := spawn(t, flags...)
			test.SliceEmpty(t, third.call("list_agent_edits", map[string]any{"path": path})["steps"].([]any))
		})
	}
}

// With --journal off, edits are not kept, and no file is made.
func TestJournalOff(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	path, dir := s.Notebook(t, "x = 1"), t.TempDir()
	flags := []string{"--jupyter-url=" + s.URL, "--token=" + s.Token, "--state=" + filepath.Join(dir, "state.db"), "--log-level=error", "--toolsets=all", "--journal=off"}
	first := spawn(t, flags...)
	first.call("read_nb_cells", map[string]any{"path": path})
	first.call("modify_nb_cells", map[string]any{"path": path, "exec": false, "modifications": []any{map[string]any{"range": map[string]any{"start": 0}, "content": "x = 10"}}})
	first.end(0)
	list := spawn(t, flags...).call("list_agent_edits", map[string]any{"path": path})
	test.SliceEmpty(t, list["steps"].([]any))
	test.StrContains(t, fmt.Sprint(list["message"]), "the earlier history is gone")
	files, err := filepath.Glob(filepath.Join(dir, "*.journal.db"))
	test.NoError(t, err)
	test.SliceEmpty(t, files)
	start(t, nil, "--journal=maybe").is(t, exitUsage, `"maybe" is neither on nor off`)
}
