package analysis_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// readOnly returns another client, with --read-only.
func readOnly(r *toolstest.Rig) *toolstest.Rig {
	ro := *r
	ro.Client = r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), ReadOnly: true})
	r.T.Cleanup(func() {
		if err := ro.Client.Close(); err != nil {
			r.T.Error(err)
		}
	})
	return &ro
}

// With --read-only no kernel is started for a preview, and the answer says so.
func TestReadOnlyStartsNoKernel(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		ro := readOnly(r)
		path := r.TextFile("a,b\n1,2\n")
		ro.Refused(ro.Client, "preview_data", toolstest.Dict{"path": path}, "read_only", "--read-only", "file_read")
		if id := r.Work.Helper.KernelID(); id != "" {
			t.Errorf("the kernel %s was started", id)
		}
	})
}

// With --read-only no value's own code runs in a kernel; the answer says which values therefore cannot be shown.
func TestReadOnlyRunsNothing(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel's own values")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		book := r.Server.Notebook(t)
		made := r.Create(toolstest.Dict{"notebook_path": book})
		r.Execute(made.ID, "calls = []\nclass Loud:\n    def note(self, *args):\n        calls.append(1)\n        return 1\n"+
			"    __hash__ = __sizeof__ = note\n    def __repr__(self):\n        calls.append(1)\n        return 'loud'\n    __str__ = __repr__\n"+
			"import numpy as np, pandas as pd\nloud = Loud()\nheld = [loud, 'quiet']\nnumbers = np.array([1, 2])\nobjects = np.array([loud], dtype=object)\n"+
			"df = pd.DataFrame({'n': [1, 2], 'o': [loud, loud]})\nseries = df['o']\ncalls.clear()")
		ro := readOnly(r)
		var joined analysis.ConnectResult
		ro.Good("session_connect", toolstest.Dict{"notebook_path": book}, &joined)
		const unrun = "nothing of its own is run with --read-only>"
		look := func(name string) inspect.Detail {
			t.Helper()
			var detail inspect.Detail
			ro.Good("get_variable", toolstest.Dict{"session_id": joined.ID, "variable_name": name}, &detail)
			return detail
		}
		for name, want := range map[string]string{
			"loud": `"<Loud: ` + unrun + `"`, "held": `"[<Loud: ` + unrun + `, 'quiet']"`, "numbers": `"[1 2]"`, "objects": `"<ndarray: ` + unrun + `"`,
		} {
			if got := string(look(name).Value); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		f := look("series").Frame
		must.NotNil(t, f)
		test.StrContains(t, string(f.Head), unrun)
		var frame inspect.Frame
		ro.Good("get_dataframe_info", toolstest.Dict{"session_id": joined.ID, "variable_name": "df"}, &frame)
		test.StrContains(t, string(frame.Head), unrun)
		test.StrContains(t, string(frame.Figures), `"mean":1.5`)
		must.Nil(t, frame.Memory)
		test.SliceEqOp(t, []string{"n", "o"}, frame.Columns)
		if calls := string(look("calls").Value); calls != `"[]"` {
			t.Errorf("the values' own code was run: %s", calls)
		}
		var detail inspect.Detail
		r.Good("get_variable", toolstest.Dict{"session_id": made.ID, "variable_name": "loud"}, &detail)
		if string(detail.Value) != `"loud"` {
			t.Errorf("without --read-only: %s", detail.Value)
		}
	})
}
