package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// written makes another program change the file of the notebook; the room then gets the second cell anew.
func (p *positions) written(old, now string) {
	p.T.Helper()
	was := p.cell("c1")
	saved := func() bool {
		return strings.Contains(p.Server.Read(p.T, p.path), mustJSON(p.T, strings.Split(was, "\n")[0]))
	}
	sessiontest.Eventually(p.T, "the file has what the room has", saved)
	time.Sleep(3 * time.Second) // otherwise the server takes it for its own last save
	p.Server.Write(p.T, p.path, strings.Replace(p.Server.Read(p.T, p.path), old, now, 1))
	want := strings.Replace(was, old, now, 1)
	sessiontest.Eventually(p.T, "the room has the file", func() bool { return p.cell("c1") == want })
}

// mustJSON returns a text as it appears inside a JSON string.
func mustJSON(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(b), `"`)
}

// A file that another program has written, and the server has loaded, does not count as typing, and a change is merged
// across the reload.
func TestMergeAcrossAReload(t *testing.T) {
	for _, saved := range []bool{false, true} { // before the file was written
		for _, to := range []string{"= 22", "=", "= 2 # " + strings.Repeat("more ", 20)} {
			t.Run(fmt.Sprintf("saved before %t, %q", saved, to), func(t *testing.T) {
				jupytertest.Test(t, func(t *testing.T) {
					p := newFourLines(toolstest.New(t))
					p.ada()
					was := fourLines
					if saved {
						was = strings.Replace(was, "= 1", "= 11", 1)
						if text, failed := p.changes(was); failed {
							t.Fatal(text)
						}
					}
					p.written("= 2", to)
					began := time.Now()
					mine := strings.Replace(was, "= 4", "= mine", 1)
					want := strings.Replace(mine, "= 2", to, 1)
					for range 2 {
						text, failed := p.call("modify_nb_cells", toolstest.With(source(mine), "wait", 0))
						if failed {
							t.Error(text)
						}
						p.is(want, "after the file was loaded")
					}
					if took := time.Since(began); took > 3*time.Second {
						t.Errorf("it took %v", took)
					}
					text, failed := p.call("delete_nb_cells", toolstest.Dict{"wait": 0, "ranges": []toolstest.Dict{{"id": "c1"}}})
					test.True(t, failed)
					test.StrNotContains(t, text, editguard.CodeBusy)
				})
			})
		}
	}
}
