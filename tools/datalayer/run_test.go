package datalayer_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Code cells are inserted and run; outputs come as texts and images.
func TestDatalayerRunsCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("a = 1")
		r.Lists(r.Worked(r.Result("insert_execute_code_cell", toolstest.Dict{"cell_index": 1, "cell_source": "1 + 1"})), "2")
		r.Lists(r.Result("insert_execute_code_cell", toolstest.Dict{"cell_index": -1, "cell_source": "print('x'); 3", "stream": false}), "x\n", "3")
		r.Lists(r.Result("read_cell", toolstest.Dict{"cell_index": 2}), "=====Cell 2 | type: code | execution count: 2=====", "print('x'); 3", "x\n", "3")
		r.Lists(r.Result("read_cell", toolstest.Dict{"cell_index": 2, "include_outputs": false}), "=====Cell 2 | type: code | execution count: 2=====", "print('x'); 3")
		r.Lists(r.Result("execute_cell", toolstest.Dict{"cell_index": 0, "stream": false, "progress_interval": 5, "timeout": 0}), "[No output generated]")
		r.Lists(r.Result("execute_cell", toolstest.Dict{"cell_id": r.Read(path).Cells[1].ID, "cell_index": 0, "stream": false, "timeout_seconds": 60}), "2")
		r.Wants(r.Said("clear_cell_output", toolstest.Dict{"cell_index": 2}), "Cell 2 output cleared successfully (2 output(s) removed).")
		r.Wants(r.Said("clear_cell_output", toolstest.Dict{"cell_index": 2}), "Cell 2 had no output to clear.")
		got := r.Result("insert_execute_code_cell", toolstest.Dict{"cell_index": 0, "cell_source": "1/0", "stream": false})
		must.SliceLen(t, 1, got)
		test.StrContains(t, got[0], "ZeroDivisionError: division by zero")
		test.StrNotContains(t, got[0], "\x1b")
		r.Said("insert_cell", toolstest.Dict{"cell_index": 0, "cell_type": "markdown", "cell_source": "x"})
		r.Bad("execute_cell", toolstest.Dict{"cell_index": 0}, "only code cells")
		r.Bad("execute_cell", toolstest.Dict{"cell_index": 99}, "Cell index 99 is out of range. Notebook has 5 cells.")
	})
}

const drawing = `from IPython.display import display, Image, Markdown, HTML, JSON, Latex
import base64
png = base64.b64decode("` + toolstest.Dot + `")
display(Image(png))
display(Markdown("**bold**"), HTML("<b>x</b>"), JSON({"a": 1}))
display({"application/x-other": 1}, raw=True)`

// Displays come in the most readable form, images as image content.
func TestDatalayerDisplays(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Use("")
		want := []string{"image image/png", "**bold**", "<IPython.core.display.HTML object>", "{\n  \"a\": 1\n}", "[display_data Data: keys=['application/x-other']]"}
		res := r.Good("insert_execute_code_cell", toolstest.Dict{"cell_index": 0, "cell_source": drawing, "stream": false}, nil)
		images := toolstest.ImagesOf(res)
		must.SliceLen(t, 1, images)
		test.Eq(t, "image/png", images[0].MIMEType)
		r.Lists(r.Result("read_cell", toolstest.Dict{"cell_index": 0})[2:], want...)
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": drawing}), want...)
	})
}

// At the timeout a cell is interrupted, and the answer has its output so far and its run.
func TestDatalayerTimeouts(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Use("import time\nprint('begun', flush=True)\ntime.sleep(600)")
		r.Result("execute_code", toolstest.Dict{"code": "import time", "timeout": 300}) // the kernel has started
		got := r.Result("execute_cell", toolstest.Dict{"cell_index": 0, "timeout": 8, "progress_interval": 1})
		all := strings.Join(got, "\n")
		for _, want := range []string{"begun", "KeyboardInterrupt", "s] 1 new output(s), 1 total", "[PROGRESS: ", "[TIMEOUT at ", "s: Interrupting execution]", "[Sent interrupt signal to kernel]", ": interrupted]"} {
			if !strings.Contains(all, want) {
				t.Errorf("%q does not say %q", got, want)
			}
		}
		got = r.Result("execute_cell", toolstest.Dict{"cell_index": 0, "timeout": 5, "stream": false})
		n := len(got)
		test.GreaterEq(t, 3, n)
		test.Eq(t, "begun\n", got[0])
		test.Eq(t, "[TIMEOUT ERROR: Execution exceeded 5 seconds]", got[n-2])
		test.StrHasPrefix(t, "[Run ", got[n-1])
		got = r.Result("execute_code", toolstest.Dict{"code": "time.sleep(600)", "timeout": 1})
		if got[0] != "[TIMEOUT ERROR: IPython execution exceeded 1 seconds and was interrupted]" {
			t.Errorf("%q", got)
		}
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": "print('alive')"}), "alive\n")
	})
}

// Code runs without a cell in the current notebook's kernel, or in the named one; the kernel handles magics and shell
// commands.
func TestDatalayerExecutesCode(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Bad("execute_code", toolstest.Dict{"code": "1"}, "use_notebook", "kernel_id", "session_id")
		path := r.Use("x = 5")
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": "words='Hello World!'"}), "[No output generated]")
		r.Result("execute_cell", toolstest.Dict{"cell_index": 0})
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": "words, x", "timeout": 0, "kernel_id": nil, "session_id": nil}), "('Hello World!', 5)")
		if got := r.Result("execute_code", toolstest.Dict{"code": "%who"}); !strings.Contains(got[0], "words") {
			t.Errorf("%q", got)
		}
		if got := r.Result("execute_code", toolstest.Dict{"code": "!echo 'from shell'"}); !strings.Contains(got[0], "from shell") {
			t.Errorf("%q", got)
		}
		if got := r.Sources(path); len(got) != 1 {
			t.Errorf("%q", got)
		}
		k, _, err := r.Work.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		r.Said("unuse_notebook", toolstest.Dict{"notebook_name": "nb"})
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": "x", "kernel_id": k.ID}), "5")
		r.Bad("execute_code", toolstest.Dict{"code": "x", "kernel_id": "none"}, "Kernel 'none' not found")
		r.Bad("execute_code", toolstest.Dict{"code": "x", "kernel_id": k.ID, "session_id": "s"}, "session_id and kernel_id")
		var made analysis.SessionInfo
		r.Good("session_create", nil, &made)
		r.Bad("execute_code", toolstest.Dict{"code": "x", "kernel_id": k.ID, "session_id": made.ID}, "session_id and kernel_id")
		r.Lists(r.Result("execute_code", toolstest.Dict{"code": "1 + 2", "kernel_id": made.KernelID}), "3")
		got := r.Said("list_kernels", nil)
		test.StrHasPrefix(t, "ID\tName\tDisplay_Name\tLanguage\tState\tConnections\tLast_Activity\tEnvironment\n", got)
		test.StrContains(t, got, "\n"+k.ID+"\tpython3\tPython 3")
		other := r.Person() // does not list the session's kernel
		if got := other.Said("list_kernels", nil); !strings.Contains(got, k.ID) {
			t.Error(got)
		}
		r.Good("session_delete", toolstest.Dict{"session_id": made.ID}, nil)
	})
}

// Long outputs are cut.
func TestDatalayerOutputsAreCut(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Use("")
		got := r.Worked(r.Result("insert_execute_code_cell", toolstest.Dict{"cell_index": 0, "cell_source": "print('x' * 300_000)"}))
		must.LessEq(t, 2*analysis.DefaultCodeSize, len(got[0]))
		test.True(t, textfmt.Marked(got[0]))
		got = r.Result("execute_code", toolstest.Dict{"code": "print('y' * 50_000)", "maxOutputSize": 100})
		if len(got[0]) > 200 {
			t.Errorf("%d characters", len(got[0]))
		}
	})
}
