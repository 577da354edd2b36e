package tools

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/words"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
)

// pages reads an output of a run to its end.
func (r *rig) pages(run string, output, size int) (all string, pages int) {
	r.t.Helper()
	var text strings.Builder
	for offset := 0; ; pages++ {
		var view notebook.PagedRun
		r.good("get_run", dict{"run_id": run, "output": output, "offset": offset, "maxCellOutputSize": size}, &view)
		p := view.Page
		if p == nil || p.Offset != offset || p.Output != output || len(view.Outputs) != 0 || view.Truncated != (p.Next != nil) || view.OriginalSize != p.Length {
			r.t.Fatalf("the page at %d is %+v of %+v", offset, p, view)
		}
		text.WriteString(p.Text)
		if p.Next == nil {
			return text.String(), pages + 1
		}
		if *p.Next <= offset || *p.Next > offset+size {
			r.t.Fatalf("after %d comes %d", offset, *p.Next)
		}
		offset = *p.Next
	}
}

// Whatever a run has put out can be paged through, whole characters and no
// colours, and so can what the notebook did not get.
func TestPagesOfOutputs(t *testing.T) {
	r := newRigOn(t, jupytertest.Start(t, jupytertest.WithFlags("--ServerApp.iopub_data_rate_limit=1000000000")))
	path := r.server.Notebook(
		t,
		"print('\\x1b[31mré\\x1b[0me\\u0301d 👩‍🔬 ' * 1000)\ndisplay({'text/html': '<b>' * 500, 'text/plain': 'plain ' * 500}, raw=True)\ndef f(n):\n    if n: f(n - 1)\n    raise ValueError('deep')\nf(50)",
		"print('\\n'.join(f'line {i:0994d}' for i in range(9000)), flush=True)\ndisplay('big ' * 10)",
	)
	var ran notebook.ExecuteResult
	r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}}, &ran)
	id := ran.Results[0].RunID
	if got, n := r.pages(id, 0, 1000); got != strings.Repeat("rée\u0301d 👩‍🔬 ", 1000)+"\n" || n < 10 {
		t.Errorf("the stream is %d characters in %d pages", words.Size(got), n)
	}
	if got, _ := r.pages(id, 1, 700); got != "'"+strings.Repeat("plain ", 500)+"'" && got != strings.Repeat("plain ", 500) {
		t.Errorf("the display is %q", got)
	}
	if got, _ := r.pages(id, 2, 500); !strings.HasSuffix(got, "ValueError: deep") || strings.Contains(got, "\x1b") {
		t.Errorf("the traceback is %q", got)
	}
	r.bad("get_run", dict{"run_id": id, "output": 3}, "has 3 outputs, numbered from 0")
	r.bad("get_run", dict{"run_id": id, "output": 0, "offset": 1_000_000}, "behind the end")
	r.bad("get_run", dict{"run_id": id, "output": -1}, "no text was left out of the notebook", "0 to 2")
	r.bad("get_run", dict{"run_id": id, "offset": 5}, "offset needs output")

	r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1}}}, &ran)
	res := ran.Results[0]
	if id = res.RunID; !strings.Contains(res.Message, "output -1 pages through") {
		t.Errorf("message = %q", res.Message)
	}
	rest, _ := r.pages(id, notebook.LeftOutOutput, notebook.MaxOutputSize)
	cell := r.outputText(path, 1)
	if i := strings.LastIndex(cell, "["); i < 0 || !strings.Contains(cell[i:], id) || !strings.Contains(cell[i:], "output -1") {
		t.Fatalf("the cell does not say where the rest is: it ends in %q", cell[max(0, len(cell)-300):])
	} else {
		cell = cell[:i]
	}
	all := strings.SplitAfter(cell+rest, "\n")
	if len(all) < 9001 || !strings.HasSuffix(all[8999], "08999\n") {
		t.Errorf("cell and rest have %d lines, the last are %q", len(all), all[max(0, len(all)-5):])
	}
	for i, l := range all[:min(len(all), 9000)] {
		if len(l) != 1000 || !strings.HasSuffix(l, strconv.Itoa(i)+"\n") {
			t.Fatalf("line %d is %q", i, l)
		}
	}
	if !strings.Contains(rest, "[an output of type display_data, ") {
		t.Error("the display that was left out is not spoken of")
	}
}

// outputText is the text of a cell's streams in the shared document.
func (r *rig) outputText(path string, cell int) string {
	r.t.Helper()
	doc, err := r.work.Open(r.t.Context(), path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer doc.Release()
	var all strings.Builder
	for _, o := range doc.Notebook().Cells()[cell].Outputs {
		s, _ := o["text"].(string)
		all.WriteString(s)
	}
	return all.String()
}
