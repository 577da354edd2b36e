package tools_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// What is answered of cells that the server runs is what is answered of those
// that the kernel is asked for.
func TestServerRunsAnswerAlike(t *testing.T) {
	jupytertest.NeedsReal(t, "jupyter-server-nbmodel")
	r := toolstest.NewOn(t, jupytertest.Start(t, jupytertest.WithNbmodel(t)))
	srv, err := jupyter.New(jupyter.Options{URL: r.Server.URL, Token: r.Server.Token, HTTPClient: r.Server.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv, Execute: run.ExecuteServer})
	client := r.Connect(tools.Config{Work: deps.NewWork(m), Version: "test", Answers: tools.JSONAnswers, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
		srv.CloseIdleConnections()
	})
	sources := []string{
		"import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr, flush=True)\n{'a': 1}",
		"from PIL import Image\ndisplay(Image.new('RGB', (30, 20), 'red'))",
		"def f():\n    raise ValueError('no')\nf()",
		"1",
	}
	var answers [2]string
	for i, c := range []func(path string) notebook.ExecuteResult{
		func(path string) (out notebook.ExecuteResult) {
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 4}}}, &out)
			return out
		},
		func(path string) (out notebook.ExecuteResult) {
			toolstest.Decode(t, r.CallAs(client, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 4}}}), &out)
			return out
		},
	} {
		out := c(r.Server.Notebook(t, sources...))
		for k := range out.Results {
			if out.Results[k].RunID == "" {
				t.Errorf("run %d has no id", k)
			}
			out.Results[k].RunID = ""
			for _, o := range out.Results[k].Outputs {
				if data, ok := o["data"].(map[string]any); ok && k == 1 {
					if data["image/png"] == nil {
						t.Errorf("the image is %v", data)
					}
					o["data"] = data["text/plain"] // an image's address is the session's own
				}
				delete(o, "traceback") // has the kernel's process
			}
		}
		answers[i] = sample.AsJSON(t, out)
	}
	if answers[0] != answers[1] {
		t.Errorf("by the kernel: %s\nby the server: %s", answers[0], answers[1])
	}
}
