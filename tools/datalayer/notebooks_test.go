package datalayer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Notebooks get names, one is current; the texts are those of their server.
func TestDatalayerNotebooks(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		a, b := r.Server.Notebook(t, "1 + 1", "x = 1\ny = 2\n"), r.Server.Notebook(t, "b")
		r.Wants(r.Said("list_notebooks", nil), "No managed notebooks. Call use_notebook to use one.")
		r.Bad("read_cell", toolstest.Dict{"cell_index": 0}, "use_notebook")
		r.Wants(r.Said("use_notebook", toolstest.Dict{"notebook_name": "a", "notebook_path": a}), "[INFO] The notebook has no kernel yet; the first execution starts one.\n"+
			"[INFO] Successfully activate notebook 'a'.\n\nNotebook has 2 cells.\nShowing first 2 cells:\n\n"+
			"Index\tType\tCount\tFirst Line\n0\tcode\tN/A\t1 + 1\n1\tcode\tN/A\tx = 1...(1 lines hidden)")
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "b", "notebook_path": "/" + b, "mode": "connect", "kernel_id": nil}); !strings.Contains(got, "Successfully activate notebook 'b'") {
			t.Error(got)
		}
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "b", "notebook_path": b}); !strings.HasPrefix(got, "Notebook 'b' is already connected") {
			t.Error(got)
		}
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "a", "notebook_path": a}); !strings.HasPrefix(got, "[INFO] Reactivating notebook 'a' and deactivating 'b'.\n\nNotebook has 2 cells.") {
			t.Error(got)
		}
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "b"}); !strings.HasPrefix(got, "[INFO] Reactivating notebook 'b' and deactivating 'a'.") {
			t.Error(got)
		}
		r.Wants(r.Said("list_notebooks", nil), fmt.Sprintf("Name\tPath\tKernel_ID\tKernel_Status\tActivate\na\t%s\t-\tnot_initialized\t\nb\t%s\t-\tnot_initialized\t✓", a, b))
		got := r.Said("restart_notebook", toolstest.Dict{"notebook_name": "a"})
		test.StrHasPrefix(t, "Notebook 'a' kernel restarted successfully.", got)
		test.StrContains(t, got, "started")
		k, _, err := r.Work.Kernel(t.Context(), jupyter.MustPath(a))
		if err != nil {
			t.Fatal(err)
		}
		r.Wants(r.Said("restart_notebook", toolstest.Dict{"notebook_name": "a"}), "Notebook 'a' kernel restarted successfully. Memory state and imported packages have been cleared.")
		if got := r.Said("list_notebooks", nil); !strings.Contains(got, "\na\t"+a+"\t"+k.ID+"\talive\t\n") {
			t.Error(got)
		}
		r.Bad("use_notebook", toolstest.Dict{"notebook_name": "b", "notebook_path": b, "kernel_id": "none"}, "'none' not found")
		r.Bad("use_notebook", toolstest.Dict{"notebook_name": "a", "notebook_path": a, "kernel_id": "none"}, "already has kernel '"+k.ID)
		r.Bad("use_notebook", toolstest.Dict{"notebook_name": "a", "notebook_path": a, "kernel_id": "NEW"}, k.ID, "restart_notebook")
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "b", "notebook_path": b, "kernel_id": k.ID}); !strings.Contains(got, "Connected to kernel '"+k.ID+"'") {
			t.Error(got)
		}
		for _, c := range []struct {
			args toolstest.Dict
			says []string
		}{
			{toolstest.Dict{"notebook_name": "n", "notebook_path": "nonexistent.ipynb"}, []string{"'nonexistent.ipynb' not found"}},
			{toolstest.Dict{"notebook_name": "n", "notebook_path": "no/such/nonexistent.ipynb"}, []string{"not found"}},
			{toolstest.Dict{"notebook_name": "n"}, []string{"not connected", "notebook_path"}},
			{toolstest.Dict{"notebook_name": "a", "notebook_path": b}, []string{"already used", a}},
			{toolstest.Dict{"notebook_name": "a", "notebook_path": a, "mode": "create"}, []string{"already created"}},
			{toolstest.Dict{"notebook_name": "n", "notebook_path": a, "mode": "create"}, []string{"already exists"}},
			{toolstest.Dict{"notebook_name": "n", "notebook_path": "no/such/n.ipynb", "mode": "create"}, []string{"not found"}},
			{toolstest.Dict{"notebook_name": "n", "notebook_path": "n.txt", "mode": "create"}, []string{".ipynb"}},
		} {
			r.Bad("use_notebook", c.args, c.says...)
		}
		for _, tool := range []string{"restart_notebook", "unuse_notebook", "read_notebook"} {
			r.Bad(tool, toolstest.Dict{"notebook_name": "nonexistent"}, "not connected")
		}
		fresh := strings.TrimSuffix(a, ".ipynb") + "-new.ipynb"
		if got := r.Said("use_notebook", toolstest.Dict{"notebook_name": "new", "notebook_path": fresh, "mode": "create"}); !strings.Contains(got, "Notebook has 1 cells.\nShowing first 1 cells:\n\nIndex\tType\tCount\tFirst Line\n0\tmarkdown\tN/A\t") {
			t.Error(got)
		}
		r.Wants(r.Said("unuse_notebook", toolstest.Dict{"notebook_name": "new"}), "Notebook 'new' unused successfully. Current notebook switched to 'a'.")
		r.Wants(r.Said("unuse_notebook", toolstest.Dict{"notebook_name": "b"}), "Notebook 'b' unused successfully.")
		r.Wants(r.Said("unuse_notebook", toolstest.Dict{"notebook_name": "a"}), "Notebook 'a' unused successfully. No notebooks remaining.")
	})
}

// The current notebook is per client, and is at first the notebook that the program was started for.
func TestDatalayerCurrentIsAClientsOwn(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		a, b := r.Server.Notebook(t, "'a'"), r.Server.Notebook(t, "'b'")
		clients := &tool.Clients{}
		s, err := tools.New(tools.Config{Work: r.Work, Version: "test", Toolsets: []string{tool.ToolsetToday}, Clients: clients, Notebook: jupyter.MustPath(a)})
		if err != nil {
			t.Fatal(err)
		}
		mcp := r.Attach(s)
		defer mcp.Close()
		as := func(who *tool.Client, name string, args toolstest.Dict) string {
			t.Helper()
			r.Who = who
			defer func() { r.Who = nil }()
			res := r.CallAs(mcp, name, args)
			if res.IsError {
				t.Fatal(toolstest.MessageOf(res))
			}
			return toolstest.MessageOf(res)
		}
		ada, bob := clients.Enter(), clients.Enter()
		as(ada, "use_notebook", toolstest.Dict{"notebook_name": "b", "notebook_path": b})
		for who, want := range map[*tool.Client]string{ada: "b", bob: "a"} {
			if got := r.ResultAs(who, mcp, "read_cell", toolstest.Dict{"cell_index": 0}); got[1] != "'"+want+"'" {
				t.Errorf("%q, want %s", got, want)
			}
		}
		got := as(bob, "list_notebooks", nil)
		test.StrContains(t, got, "\ndefault\t"+a+"\t-\tnot_initialized\t✓")
		test.StrNotContains(t, got, b)
		if got := as(ada, "read_notebook", toolstest.Dict{"notebook_name": a}); !strings.HasPrefix(got, "Notebook "+a+" has 1 cells.") {
			t.Error(got)
		}
		if err := ada.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := bob.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// Only the program's own server is connected to, and no token reaches another.
func TestConnectToJupyter(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		url := r.Srv.BaseURL()
		for _, args := range []toolstest.Dict{
			{"jupyter_url": url},
			{"jupyter_url": url + "/", "jupyter_token": nil, "document_provider": "jupyter"},
			{"jupyter_url": strings.Replace(url, "127.0.0.1", "localhost", 1), "document_provider": nil},
			{"jupyter_url": "local"},
		} {
			if got := r.Said("connect_to_jupyter", args); got != "Successfully connected to Jupyter server: "+url+"\nDocumentProvider: jupyter\nAuthentication: Token-based" {
				t.Errorf("%v: %q", args, got)
			}
		}
		got := r.Said("connect_to_jupyter", toolstest.Dict{"jupyter_url": url + "/?token=x", "jupyter_token": "secret"})
		test.StrNotContains(t, got, "secret")
		test.StrHasSuffix(t, "not used: the program has its own.", got)
		for _, other := range []string{"http://127.0.0.1:1", "http://jupyter.example", "x", url + "/other", "\x00"} {
			r.Bad("connect_to_jupyter", toolstest.Dict{"jupyter_url": other, "jupyter_token": "secret"}, url)
		}
		r.Bad("connect_to_jupyter", toolstest.Dict{"jupyter_url": url, "document_provider": "datalayer"}, "document_provider", "datalayer")

		srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:9"})
		if err != nil {
			t.Fatal(err)
		}
		m := session.New(session.Config{Server: srv})
		defer m.Close(t.Context())
		away := r.Connect(tools.Config{Work: deps.NewWork(m), Version: "test", Toolsets: []string{tool.ToolsetToday}})
		defer away.Close()
		res := r.CallAs(away, "connect_to_jupyter", toolstest.Dict{"jupyter_url": "http://127.0.0.1:9"})
		test.True(t, res.IsError)
		test.StrContains(t, toolstest.MessageOf(res), "failed to connect")
	})
}
