package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// easel makes a folder of fake modules for plotly and kaleido, and a file with a line for each figure that they have drawn.
func easel(t *testing.T) (folder, log string) {
	t.Helper()
	folder = t.TempDir()
	log = filepath.Join(folder, "log")
	for name, text := range map[string]string{
		"plotly/__init__.py": "", "kaleido.py": "", "log": "",
		"plotly/io.py": "import base64\ndef to_image(fig, **given):\n    print(fig['layout']['title'], file=open(" + fmt.Sprintf("%q", log) + ", 'a'))\n    return base64.b64decode('" + onePixel + "')",
	} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, log
}

// has checks that an answer contains each of some texts, and a number of images.
func (m *talk) has(name string, args toolstest.Dict, pictures int, texts ...string) (answer string) {
	m.T.Helper()
	res := m.result(name, args)
	answer = toolstest.MessageOf(res)
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			m.T.Errorf("%s does not say %q: %s", name, text, answer)
		}
	}
	if n := len(toolstest.ImagesOf(res)); n != pictures {
		m.T.Errorf("%s shows %d pictures instead of %d: %s", name, n, pictures, answer)
	}
	return answer
}

// traces is code that records the possible traces of a drawing in the kernel.
const traces = `import os, sys, threading, time
def trace():
    own = [name for name in globals() if not name.startswith('_')]
    modules = [m for m in sys.modules if 'plotly' in m or 'kaleido' in m]
    return sorted(own), sorted(Out), modules, threading.active_count(), getattr(sys, 'last_value', None), id(sys.stdout)
was, count = None, get_ipython().execution_count
was = trace()`

// A figure of plotly is drawn once by its notebook's kernel, wherever it is shown, and this is visible nowhere else.
func TestPlotlyIsDrawn(t *testing.T) {
	jupytertest.NeedsReal(t, "a process of Python's")
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		folder, log := easel(t)
		gate := filepath.Join(folder, "gate")
		const second = `{'application/vnd.plotly.v1+json': {'data': [], 'layout': {'title': 'Second'}}}`
		path := m.book(
			code("aaaa", "display("+plotlyFigure+", raw=True)\ndisplay("+second+", raw=True)"),
			code("bbbb", toolstest.Gated(gate)),
			code("cccc", "import sys\nsys.path.insert(0, '"+folder+"')"),
			code("dddd", traces),
			code("eeee", "print(was == trace() or (was, trace()), get_ipython().execution_count - count)"),
		)
		figures := toolstest.Dict{"path": path, "ranges": atCell(0)}
		m.has("read_nb_cells", figures, 0)
		answer := m.has("execute_nb_cells", figures, 0, `plotly figure "Prices"`, "no picture of it: pip install plotly kaleido", "no picture of it\n")
		if strings.Count(answer, "pip install") != 1 {
			t.Error(answer)
		}
		m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 2, "end": 4}}})

		m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(1), "timeout": 0.5})
		m.has("read_nb_cells", figures, 0, "its kernel is busy")
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		m.says("wait_run", toolstest.Dict{"run_id": "run-4"})

		quiet := m.Connect(tools.Config{Work: m.Work, ReadOnly: true})
		if answer := toolstest.MessageOf(m.CallAs(quiet, "read_nb_cells", figures)); !strings.Contains(answer, "no code is run with --read-only") {
			t.Error(answer)
		}
		if err := quiet.Close(); err != nil {
			t.Error(err)
		}

		for range 2 {
			answer = m.has("read_nb_cells", figures, 2, "image 1, 1×1: jupyter://images/", "image 2, 1×1: jupyter://images/", `plotly figure "Prices"`)
		}
		address := answer[strings.Index(answer, "jupyter://"):]
		m.has("inspect_data", toolstest.Dict{"path": address[:strings.IndexAny(address, "\n ")]}, 1)
		drawn, err := os.ReadFile(log)
		must.NoError(t, err)
		test.Eq(t, "{'text': 'Prices'}\nSecond\n", string(drawn))
		if text := fmt.Sprint(m.there(path)[0].Outputs); strings.Contains(text, "image/png") {
			t.Errorf("the notebook has %s", text)
		}
		m.has("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(4)}, 0, "True 2")
	})
}

// An analysis session's kernel draws, too.
func TestPlotlyOfASession(t *testing.T) {
	jupytertest.NeedsReal(t, "a process of Python's")
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		folder, _ := easel(t)
		s := r.Create(toolstest.Dict{})
		res := r.Good("execute_code", toolstest.Dict{"session_id": s.ID, "code": "import sys\nsys.path.insert(0, '" + folder + "')\ndisplay(" + plotlyFigure + ", raw=True)"}, nil)
		if len(toolstest.ImagesOf(res)) != 1 {
			t.Error(toolstest.MessageOf(res))
		}
		r.Good("session_delete", toolstest.Dict{"session_id": s.ID}, nil)
	})
}
