package notebook_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// All output of a run can be paged through, in whole characters without colours, including the part that was left out of the
// notebook.
func TestPagesOfOutputs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.NewOn(t, jupytertest.Start(t, jupytertest.WithFlags("--ServerApp.iopub_data_rate_limit=1000000000")))
		path := r.Server.Notebook(
			t,
			"print('\\x1b[31mré\\x1b[0me\\u0301d 👩‍🔬 ' * 1000)\ndisplay({'text/html': '<b>' * 500, 'text/plain': 'plain ' * 500}, raw=True)\ndef f(n):\n    if n: f(n - 1)\n    raise ValueError('deep')\nf(50)",
			"print('\\n'.join(['line ' + ('0' * 994 + str(i))[-994:] for i in range(9000)]), flush=True)\ndisplay('big ' * 10)",
		)
		var ran notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &ran)
		id := ran.Results[0].RunID
		got, n := r.Pages(id, 0, 1000)
		test.Eq(t, strings.Repeat("rée\u0301d 👩‍🔬 ", 1000)+"\n", got)
		test.GreaterEq(t, 10, n)
		if got, _ := r.Pages(id, 1, 700); got != "'"+strings.Repeat("plain ", 500)+"'" && got != strings.Repeat("plain ", 500) {
			t.Errorf("the display is %q", got)
		}
		got, _ = r.Pages(id, 2, 500)
		test.StrHasSuffix(t, "ValueError: deep", got)
		test.StrNotContains(t, got, "\x1b")
		r.Bad("get_run", toolstest.Dict{"run_id": id, "output": 3}, "has 3 outputs, numbered from 0")
		r.Bad("get_run", toolstest.Dict{"run_id": id, "output": 0, "offset": 1_000_000}, "past the end")
		r.Bad("get_run", toolstest.Dict{"run_id": id, "output": -1}, "no text was left out of the notebook", "0 to 2")
		r.Bad("get_run", toolstest.Dict{"run_id": id, "offset": 5}, "offset requires output")

		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &ran)
		res := ran.Results[0]
		if id = res.RunID; !strings.Contains(res.Message, "output -1 pages through") {
			t.Errorf("message = %q", res.Message)
		}
		rest, _ := r.Pages(id, notebook.LeftOutOutput, notebook.MaxOutputSize)
		cell := r.OutputText(path, 1)
		if i := strings.LastIndex(cell, "["); i < 0 || !strings.Contains(cell[i:], id) || !strings.Contains(cell[i:], "output -1") {
			t.Fatalf("the cell does not say where the rest is: it ends in %q", cell[max(0, len(cell)-300):])
		} else {
			cell = cell[:i]
		}
		all := strings.SplitAfter(cell+rest, "\n")
		must.GreaterEq(t, 9001, len(all))
		test.StrHasSuffix(t, "08999\n", all[8999])
		for i, l := range all[:min(len(all), 9000)] {
			must.Eq(t, 1000, len(l))
			must.StrHasSuffix(t, strconv.Itoa(i)+"\n", l)
		}
		if !strings.Contains(rest, "[an output of type display_data, ") {
			t.Error("the display that was left out is not spoken of")
		}
	})
}
