package tools_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// onePixel is a PNG.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// party has several clients of one server, as an HTTP transport does.
type party struct {
	*toolstest.Rig
	clients *tool.Clients
	images  *images.Store
	mcp     *client.Client
}

func newParty(t *testing.T) *party {
	t.Helper()
	p := &party{Rig: toolstest.New(t), clients: &tool.Clients{}, images: images.NewStore(0)}
	p.mcp = p.Connect(tools.Config{Work: p.Work, Version: "test", Toolsets: tools.ToolsetNames(), Activity: p.Record, Clients: p.clients, Images: p.images})
	t.Cleanup(func() {
		if err := p.mcp.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// enter makes a client, who has left by the end of the test.
func (p *party) enter() *tool.Client {
	c := p.clients.Enter()
	p.T.Cleanup(func() {
		if err := c.Leave(context.Background()); err != nil {
			p.T.Error(err)
		}
	})
	return c
}

// do calls a tool for a client, and decodes its answer.
func (p *party) do(c *tool.Client, name string, args toolstest.Dict, out any) error {
	p.T.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := p.mcp.CallTool(tool.WithClient(p.T.Context(), c), req)
	if err != nil {
		return err
	}
	if res.IsError {
		return errors.New(toolstest.MessageOf(res))
	}
	toolstest.Decode(p.T, res, out)
	return nil
}

func (p *party) must(c *tool.Client, name string, args toolstest.Dict, out any) {
	p.T.Helper()
	if err := p.do(c, name, args, out); err != nil {
		p.T.Fatalf("%s: %v", name, err)
	}
}

// No client finds another client's sessions, kernels, runs or images. The notebook is shared.
func TestClientsSeeOnlyTheirOwn(t *testing.T) {
	p := newParty(t)
	ada, bob := p.enter(), p.enter()
	path := p.Server.Notebook(t, "from IPython.display import Image, display\ndisplay(Image(url=None, data=__import__('base64').b64decode('"+onePixel+"')))")

	var made analysis.SessionInfo
	p.must(ada, "session_create", nil, &made)
	var code analysis.CodeResult
	p.must(ada, "execute_code", toolstest.Dict{"session_id": made.ID, "code": "secret = 41 + 1\nprint(secret)"}, &code)
	if code.Stdout != "42\n" {
		t.Errorf("%+v", code)
	}
	var ran notebook.ExecuteResult
	p.must(ada, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []any{toolstest.Dict{"start": 0}}}, &ran)
	run := ran.Results[0].RunID

	var listed analysis.SessionsResult
	p.must(bob, "session_list", nil, &listed)
	must.LessEq(t, 0, len(listed.Sessions))
	test.False(t, slices.ContainsFunc(listed.Kernels, func(k analysis.Connectable) bool { return k.KernelID == made.KernelID }))
	if !slices.ContainsFunc(listed.Kernels, func(k analysis.Connectable) bool { return k.Path == path }) {
		t.Errorf("the notebook's kernel is not listed: %+v", listed)
	}
	var runs notebook.ListRunsResult
	p.must(bob, "list_runs", nil, &runs)
	must.LessEq(t, 0, len(runs.Runs))
	test.LessEq(t, 0, runs.Total)
	p.must(bob, "list_runs", toolstest.Dict{"path": path}, &runs)
	if runs.Total > 0 {
		t.Errorf("another client's runs are %+v", runs)
	}
	uri := toolstest.Address(t, toolstest.References(ran.Results[0], "image/png")[0])
	for name, args := range map[string]toolstest.Dict{
		"execute_code":        {"session_id": made.ID, "code": "1"},
		"execute_cell":        {"session_id": made.ID, "cell_index": 0},
		"get_variables":       {"session_id": made.ID},
		"get_variable":        {"session_id": made.ID, "variable_name": "secret"},
		"get_dataframe_info":  {"session_id": made.ID, "variable_name": "secret"},
		"interrupt_execution": {"session_id": made.ID},
		"session_delete":      {"session_id": made.ID},
		"session_connect":     {"kernel_id": made.KernelID},
		"get_run":             {"run_id": run},
		"wait_run":            {"run_id": run},
		"answer_input":        {"run_id": run, "text": "x"},
		"cancel_run":          {"run_id": run},
		"get_image_resource":  {"resource_uri": uri},
	} {
		err := p.do(bob, name, args, &toolstest.Dict{})
		must.Error(t, err, must.Sprint(name))
		want := "no "
		if name == "get_image_resource" {
			want = "is unknown in this session"
		}
		test.StrContains(t, err.Error(), want, test.Sprint(name))
	}
	if list, _ := p.images.List([]string{bob.Name}, 0, 10); len(list) > 0 {
		t.Errorf("another client's images are %+v", list)
	}
	own := map[string]toolstest.Dict{"get_run": {"run_id": run}, "get_image_resource": {"resource_uri": uri}}
	if jupytertest.Real() { // the fake kernel has no values to inspect
		own["get_variables"] = toolstest.Dict{"session_id": made.ID}
	}
	for name, args := range own {
		if err := p.do(ada, name, args, &toolstest.Dict{}); err != nil {
			t.Errorf("%s of one's own: %v", name, err)
		}
	}
	var read notebook.ReadResult
	p.must(bob, "read_nb_cells", toolstest.Dict{"path": path}, &read)
	must.SliceLen(t, 1, read.Cells)
	test.SliceNotEmpty(t, read.Cells[0].Outputs)
}

// The state of a client ends when it leaves: its calls end, its kernel is shut down, and nothing is kept.
func TestClientLeaves(t *testing.T) {
	p := newParty(t)
	ada := p.clients.Enter()
	var made analysis.SessionInfo
	p.must(ada, "session_create", nil, &made)
	path := p.Server.Notebook(t, "1")
	p.must(ada, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []any{toolstest.Dict{"start": 0}}}, &notebook.ExecuteResult{})
	p.must(ada, "read_nb_cells", toolstest.Dict{"path": path}, &notebook.ReadResult{})
	called := make(chan error, 1)
	go func() {
		called <- p.do(ada, "execute_code", toolstest.Dict{"session_id": made.ID, "code": "import time\ntime.sleep(600)", "timeout": 600}, &toolstest.Dict{})
	}()
	for running := false; !running && t.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
		var runs notebook.ListRunsResult
		p.must(ada, "list_runs", nil, &runs)
		running = len(runs.Runs) == 2 && runs.Runs[0].State == string(run.Running)
	}
	if err := ada.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-called; err == nil {
		t.Error("the call was answered")
	}
	<-ada.Stay().Done()
	if err := p.do(ada, "list_runs", nil, &toolstest.Dict{}); err == nil {
		t.Error("a client that has left is served")
	}
	if _, err := p.Srv.Kernels.Get(t.Context(), made.KernelID); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("the kernel: %v", err)
	}
	if runs, all := p.Work.Manager.RunTable().Runs(jupyter.Path{}), p.Work.Analyses.List(ada.Name); len(runs)+len(all) > 0 {
		t.Errorf("there are left %v, %v", runs, all)
	}
	d, err := p.Work.Open(t.Context(), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	// Its text is no longer a change from the text that it was shown, so it must read the current text.
	id := d.Notebook().Cells()[0].ID
	if err := d.Edit(t.Context(), "type", func(e *ydoc.Editor) error { return e.SetSource(id, "2") }); err != nil {
		t.Error(err)
	}
	_, err = d.As(ada.Name).Rewrite(t.Context(), []readset.Change{{Cell: id, Source: "3"}})
	must.Error(t, err, must.Sprint("it is remembered what it was shown"))
	test.StrContains(t, err.Error(), "never shown", test.Sprint("it is remembered what it was shown"))
	if err := ada.Leave(t.Context()); err != nil {
		t.Error(err)
	}
}
