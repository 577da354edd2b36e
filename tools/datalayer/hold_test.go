package datalayer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A cell that takes longer than hosts wait keeps running, and is not interrupted, unless the call has a timeout.
func TestUsedAnswerWithin(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		c := r.Hasty(50 * time.Second)
		gate := r.Server.Name(t, ".gate")
		path := r.Server.Notebook(t, toolstest.Gated(gate))
		r.CallAs(c, "use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": path})
		call := func(args toolstest.Dict) (string, time.Duration) {
			began := time.Now()
			res := r.CallAs(c, "execute_cell", args)
			var text []string
			for _, one := range res.Content {
				text = append(text, fmt.Sprint(one))
			}
			return strings.Join(text, "\n"), time.Since(began).Round(time.Second)
		}
		text, took := call(toolstest.Dict{"cell_index": 0})
		test.Eq(t, 50*time.Second, took)
		test.StrContains(t, text, "keeps running: wait_run")
		test.StrNotContains(t, text, "TIMEOUT")
		r.Server.Write(t, gate, "")
		time.Sleep(5 * time.Second)
		if text := toolstest.MessageOf(r.Call("read_nb_cells", toolstest.Dict{"path": path})); !strings.Contains(text, `waiting\ndone\n`) {
			t.Errorf("it did not go on: %s", text)
		}
	})
}
