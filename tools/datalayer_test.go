package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// today are the names that jupyter-mcp-server lists.
var today = []string{
	"clear_cell_output", "connect_to_jupyter", "delete_cell", "edit_cell_source", "execute_cell", "execute_code", "insert_cell",
	"insert_execute_code_cell", "list_files", "list_kernels", "list_notebooks", "move_cell", "overwrite_cell_source", "read_cell",
	"read_notebook", "restart_notebook", "unuse_notebook", "use_notebook",
}

// The narrower toolset holds exactly the names of today.
func TestDatalayerToday(t *testing.T) {
	var got []string
	for _, d := range selected(definitions(), []string{tool.ToolsetToday}, false) {
		got = append(got, d.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, today) {
		t.Errorf("%v", got)
	}
	for _, d := range definitions() {
		if d.In(tool.ToolsetToday) && !d.In(tool.ToolsetDatalayer) {
			t.Errorf("%s is not in %s", d.Name, tool.ToolsetDatalayer)
		}
	}
}

// said calls a tool that must succeed and returns its first text.
func (r *rig) said(name string, args dict) string {
	r.t.Helper()
	return messageOf(r.good(name, args, nil))
}

// result is the list of texts and images that a tool answers with; an image is its type.
func (r *rig) result(name string, args dict) (out []string) {
	r.t.Helper()
	body, _ := r.good(name, args, nil).StructuredContent.(map[string]any)
	list, ok := body["result"].([]any)
	if !ok {
		r.t.Fatalf("%s: %v", name, body)
	}
	for _, item := range list {
		switch item := item.(type) {
		case string:
			out = append(out, item)
		case map[string]any:
			out = append(out, fmt.Sprint(item["type"], " ", item["mimeType"]))
		}
	}
	return out
}

// use makes a notebook the current one, as "nb".
func (r *rig) use(sources ...string) string {
	r.t.Helper()
	path := r.server.Notebook(r.t, sources...)
	r.said("use_notebook", dict{"notebook_name": "nb", "notebook_path": path})
	return path
}

func (r *rig) wants(got, want string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// Notebooks get names, one of which is current; the texts are those of their server.
func TestDatalayerNotebooks(t *testing.T) {
	r := newRig(t)
	a, b := r.server.Notebook(t, "1 + 1", "x = 1\ny = 2\n"), r.server.Notebook(t, "b")
	r.wants(r.said("list_notebooks", nil), "No managed notebooks. Call use_notebook to use one.")
	r.bad("read_cell", dict{"cell_index": 0}, "use_notebook")
	r.wants(r.said("use_notebook", dict{"notebook_name": "a", "notebook_path": a}), "[INFO] The notebook has no kernel yet; the first execution starts one.\n"+
		"[INFO] Successfully activate notebook 'a'.\n\nNotebook has 2 cells.\nShowing first 2 cells:\n\n"+
		"Index\tType\tCount\tFirst Line\n0\tcode\tN/A\t1 + 1\n1\tcode\tN/A\tx = 1...(1 lines hidden)")
	if got := r.said("use_notebook", dict{"notebook_name": "b", "notebook_path": "/" + b, "mode": "connect", "kernel_id": nil}); !strings.Contains(got, "Successfully activate notebook 'b'") {
		t.Error(got)
	}
	if got := r.said("use_notebook", dict{"notebook_name": "b", "notebook_path": b}); !strings.HasPrefix(got, "Notebook 'b' is already connected") {
		t.Error(got)
	}
	if got := r.said("use_notebook", dict{"notebook_name": "a", "notebook_path": a}); !strings.HasPrefix(got, "[INFO] Reactivating notebook 'a' and deactivating 'b'.\n\nNotebook has 2 cells.") {
		t.Error(got)
	}
	if got := r.said("use_notebook", dict{"notebook_name": "b"}); !strings.HasPrefix(got, "[INFO] Reactivating notebook 'b' and deactivating 'a'.") {
		t.Error(got)
	}
	r.wants(r.said("list_notebooks", nil), fmt.Sprintf("Name\tPath\tKernel_ID\tKernel_Status\tActivate\na\t%s\t-\tnot_initialized\t\nb\t%s\t-\tnot_initialized\t✓", a, b))
	if got := r.said("restart_notebook", dict{"notebook_name": "a"}); !strings.HasPrefix(got, "Notebook 'a' kernel restarted successfully.") || !strings.Contains(got, "started") {
		t.Error(got)
	}
	k, _, err := r.work.Kernel(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	r.wants(r.said("restart_notebook", dict{"notebook_name": "a"}), "Notebook 'a' kernel restarted successfully. Memory state and imported packages have been cleared.")
	if got := r.said("list_notebooks", nil); !strings.Contains(got, "\na\t"+a+"\t"+k.ID+"\talive\t\n") {
		t.Error(got)
	}
	r.bad("use_notebook", dict{"notebook_name": "b", "notebook_path": b, "kernel_id": "none"}, "'none' not found")
	r.bad("use_notebook", dict{"notebook_name": "a", "notebook_path": a, "kernel_id": "none"}, "runs in kernel '"+k.ID)
	r.bad("use_notebook", dict{"notebook_name": "a", "notebook_path": a, "kernel_id": "NEW"}, k.ID, "restart_notebook")
	if got := r.said("use_notebook", dict{"notebook_name": "b", "notebook_path": b, "kernel_id": k.ID}); !strings.Contains(got, "Connected to kernel '"+k.ID+"'") {
		t.Error(got)
	}
	for _, c := range []struct {
		args dict
		says []string
	}{
		{dict{"notebook_name": "n", "notebook_path": "nonexistent.ipynb"}, []string{"'nonexistent.ipynb' not found"}},
		{dict{"notebook_name": "n", "notebook_path": "no/such/nonexistent.ipynb"}, []string{"not found"}},
		{dict{"notebook_name": "n"}, []string{"not connected", "notebook_path"}},
		{dict{"notebook_name": "a", "notebook_path": b}, []string{"already used", a}},
		{dict{"notebook_name": "a", "notebook_path": a, "mode": "create"}, []string{"already created"}},
		{dict{"notebook_name": "n", "notebook_path": a, "mode": "create"}, []string{"already exists"}},
		{dict{"notebook_name": "n", "notebook_path": "no/such/n.ipynb", "mode": "create"}, []string{"not found"}},
		{dict{"notebook_name": "n", "notebook_path": "n.txt", "mode": "create"}, []string{".ipynb"}},
	} {
		r.bad("use_notebook", c.args, c.says...)
	}
	for _, tool := range []string{"restart_notebook", "unuse_notebook", "read_notebook"} {
		r.bad(tool, dict{"notebook_name": "nonexistent"}, "not connected")
	}
	fresh := strings.TrimSuffix(a, ".ipynb") + "-new.ipynb"
	if got := r.said("use_notebook", dict{"notebook_name": "new", "notebook_path": fresh, "mode": "create"}); !strings.Contains(got, "Notebook has 1 cells.\nShowing first 1 cells:\n\nIndex\tType\tCount\tFirst Line\n0\tmarkdown\tN/A\t") {
		t.Error(got)
	}
	r.wants(r.said("unuse_notebook", dict{"notebook_name": "new"}), "Notebook 'new' unused successfully. Current notebook switched to 'a'.")
	r.wants(r.said("unuse_notebook", dict{"notebook_name": "b"}), "Notebook 'b' unused successfully.")
	r.wants(r.said("unuse_notebook", dict{"notebook_name": "a"}), "Notebook 'a' unused successfully. No notebooks remaining.")
}

// What is current is a client's own, and begins with the notebook that the program was started for.
func TestDatalayerCurrentIsAClientsOwn(t *testing.T) {
	r := newRig(t)
	a, b := r.server.Notebook(t, "'a'"), r.server.Notebook(t, "'b'")
	clients := &tool.Clients{}
	s, err := New(Config{Work: r.work, Version: "test", Toolsets: []string{tool.ToolsetToday}, Clients: clients, Notebook: a})
	if err != nil {
		t.Fatal(err)
	}
	mcp := r.attach(s)
	defer mcp.Close()
	as := func(who *tool.Client, name string, args dict) string {
		t.Helper()
		r.who = who
		defer func() { r.who = nil }()
		res := r.callAs(mcp, name, args)
		if res.IsError {
			t.Fatal(messageOf(res))
		}
		return messageOf(res)
	}
	ada, bob := clients.Enter(), clients.Enter()
	as(ada, "use_notebook", dict{"notebook_name": "b", "notebook_path": b})
	for who, want := range map[*tool.Client]string{ada: "b", bob: "a"} {
		if got := r.resultAs(who, mcp, "read_cell", dict{"cell_index": 0}); got[1] != "'"+want+"'" {
			t.Errorf("%q, want %s", got, want)
		}
	}
	if got := as(bob, "list_notebooks", nil); !strings.Contains(got, "\ndefault\t"+a+"\t-\tnot_initialized\t✓") || strings.Contains(got, b) {
		t.Error(got)
	}
	if got := as(ada, "read_notebook", dict{"notebook_name": a}); !strings.HasPrefix(got, "Notebook "+a+" has 1 cells.") {
		t.Error(got)
	}
	if err := ada.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := bob.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Only the server that the program is bound to is connected to, and no token reaches another.
func TestConnectToJupyter(t *testing.T) {
	r := newRig(t)
	url := r.srv.BaseURL()
	for _, args := range []dict{
		{"jupyter_url": url},
		{"jupyter_url": url + "/", "jupyter_token": nil, "document_provider": "jupyter"},
		{"jupyter_url": strings.Replace(url, "127.0.0.1", "localhost", 1), "document_provider": nil},
		{"jupyter_url": "local"},
	} {
		if got := r.said("connect_to_jupyter", args); got != "Successfully connected to Jupyter server: "+url+"\nDocumentProvider: jupyter\nAuthentication: Token-based" {
			t.Errorf("%v: %q", args, got)
		}
	}
	if got := r.said("connect_to_jupyter", dict{"jupyter_url": url + "/?token=x", "jupyter_token": "secret"}); strings.Contains(got, "secret") || !strings.HasSuffix(got, "not used: the program has its own.") {
		t.Error(got)
	}
	for _, other := range []string{"http://127.0.0.1:1", "http://jupyter.example", "x", url + "/other", "\x00"} {
		r.bad("connect_to_jupyter", dict{"jupyter_url": other, "jupyter_token": "secret"}, url)
	}
	r.bad("connect_to_jupyter", dict{"jupyter_url": url, "document_provider": "datalayer"}, "document_provider", "datalayer")

	srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv})
	defer m.Close(t.Context())
	away := r.connect(Config{Work: desk.NewWork(m), Version: "test", Toolsets: []string{tool.ToolsetToday}})
	defer away.Close()
	if res := r.callAs(away, "connect_to_jupyter", dict{"jupyter_url": "http://127.0.0.1:9"}); !res.IsError || !strings.Contains(messageOf(res), "failed to connect") {
		t.Error(messageOf(res))
	}
}
