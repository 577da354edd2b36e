package tools_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A text that was replaced throughout a cell by "find and replace" does not count as typing: a change is merged or refused
// as a conflict, at once, and no inserted text is lost.
func TestReplacedThroughout(t *testing.T) {
	long := "one = 1\n" + strings.Repeat("frame = frame.dropna(frame)\n", 6) + "last = 9"
	for name, now := range map[string]string{
		"a longer text":     strings.ReplaceAll(long, "frame", "customers_of_the_shop"),
		"a shorter text":    strings.ReplaceAll(long, "frame", "f"),
		"nothing":           strings.ReplaceAll(long, "frame.", ""),
		"all lines":         "one = 1\n" + strings.Repeat("other = other + 1\n", 8) + "last = 9",
		"the whole of it":   strings.Repeat("x = x + 1\n", 10),
		"two places of one": strings.ReplaceAll(long, "(frame)", "(axis)"),
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, edit := range []string{"= 9", "= frame.dropna"} {
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", long)}
					tab := p.ada()
					p.Read(p.path)
					p.sets(tab, "c1", now)
					mine := strings.Replace(long, edit, edit+"_mine", 1)
					text, failed := p.call("modify_nb_cells", toolstest.With(source(mine), "wait", 0))
					after := p.cell("c1")
					switch {
					case strings.Contains(text, editguard.CodeBusy):
						t.Errorf("%q: %s", edit, text)
					case failed && (after != now || !strings.Contains(text, "nothing was changed")):
						t.Errorf("%q: answered %s; the cell is %q", edit, text, after)
					case !failed && strings.Replace(after, "_mine", "", 1) != now:
						t.Errorf("%q: the cell is %q, want %q and the change", edit, after, now)
					}
					if changed := strings.Contains(now, edit); edit == "= 9" && failed == changed {
						t.Errorf("%q: failed %t: %s", edit, failed, text)
					}
					tab.Leave()
				}
			})
		})
	}
}
