package seeds

import (
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/sessiontest"
)

// Seed 001: the tools of Datalayer's server.
func checkDatalayer(c *check) {
	p := start(c, c.Server, "--toolsets=datalayer")
	c.row("001.001", strings.Contains(p.welcome, "Jupyter"), p.welcome)
	all := schemas(p)
	named := strings.Fields("list_notebook use_notebook unuse_notebook restart_notebook read_cells list_cells read_cell insert_cell insert_execute_code_cell overwrite_cell_source delete_cell execute_cell_simple_timeout execute_cell_streaming execute_cell_with_progress execute_ipython list_files list_kernels")
	c.row("001.025", has(any(all), named...) && len(all) > len(named), len(all))
	described := true
	for _, t := range all {
		described = described && text(t, "name") != "" && text(t, "description") != "" && at(t, "inputSchema.type") == "object"
	}
	c.row("001.026", described)
	plain := start(c, c.Server)
	c.row("001.002", schemas(plain)["list_cells"] == nil && !plain.call("list_notebook", nil).Failed)

	folder := "datalayer of " + c.Server.Name(c, "")
	content := c.Server.Read(c, c.Server.Notebook(c, "x = 1", "print(x + 1)"))
	path, other := c.Server.Write(c, folder+"/deep/a.ipynb", content), c.Server.Write(c, folder+"/b.ipynb", content)
	c.Server.Write(c, folder+"/c.txt", "no notebook")
	words := func(tool string, args dict) string { return strings.Join(p.good(tool, args).Texts, "\n") }
	table := words("list_notebook", nil)
	c.row("001.003", strings.Contains(table, "\t") && strings.Contains(table, path) && strings.Contains(table, other) && !strings.Contains(table, "c.txt"), table)
	used := words("use_notebook", dict{"notebook_name": "nb", "notebook_path": path})
	c.row("001.004", strings.Contains(used, "nb"), used)
	table = words("list_notebook", nil)
	c.row("001.005", strings.Contains(table, path+"\tYes\tnb\t") && strings.Contains(table, other+"\tNo\t"), table)
	made := folder + "/made.ipynb"
	p.good("use_notebook", dict{"notebook_name": "new", "notebook_path": made, "mode": "create"})
	c.row("001.006", strings.Contains(c.Server.Read(c, made), "nbformat"))
	p.good("use_notebook", dict{"notebook_name": "nb"})

	person := sessiontest.PersonIn(c.T, sessiontest.Server(c.T, c.Server), path)
	source := func(i int) string { cell, _ := person.Notebook.CellAt(i); return cell.Source }
	cells := words("list_cells", nil)
	c.row("001.007", strings.Contains(cells, "\t") && strings.Contains(cells, "x = 1"), cells)
	words("execute_cell_simple_timeout", dict{"cell_index": 0})
	words("execute_cell_simple_timeout", dict{"cell_index": 1})
	read := p.good("read_cells", nil)
	c.row("001.008", strings.Contains(read.Raw, "print(x + 1)") && has(decoded(read.Texts[1]), "index", "type", "source", "outputs"), read.Raw)
	c.row("001.009", strings.Contains(words("read_cell", dict{"cell_index": 1}), "print(x + 1)"))
	p.good("insert_cell", dict{"cell_index": 2, "cell_type": "markdown", "cell_source": "# There"})
	c.row("001.010", eventually(func() bool { return source(2) == "# There" }))
	p.good("overwrite_cell_source", dict{"cell_index": 2, "cell_source": "# Here"})
	c.row("001.011", eventually(func() bool { return source(2) == "# Here" }))
	p.good("delete_cell", dict{"cell_index": 2})
	c.row("001.012", eventually(func() bool { return person.Notebook.Len() == 2 }))
	ran := words("insert_execute_code_cell", dict{"cell_index": 2, "cell_source": "print('inserted')"})
	c.row("001.013", strings.Contains(ran, "inserted") && eventually(func() bool { return source(2) == "print('inserted')" }), ran)
	c.row("001.014", eventually(func() bool {
		cell, _ := person.Notebook.CellAt(1)
		return len(cell.Outputs) == 1 && cell.Outputs[0]["text"] == "2\n"
	}))
	// Three times as long as the interval of progress: with one second it could end just before the first notification.
	p.good("overwrite_cell_source", dict{"cell_index": 2, "cell_source": "import time\nprint('a', flush=True)\ntime.sleep(3)\nprint('b')"})
	began := time.Now()
	late := p.call("execute_cell_simple_timeout", dict{"cell_index": 2, "timeout_seconds": 0.2})
	c.row("001.015", time.Since(began) < time.Minute && strings.Contains(strings.ToLower(late.Raw), "timeout"), late.Raw)
	eventually(func() bool { cell, _ := person.Notebook.CellAt(2); return cell.ExecutionState == "idle" })
	stream := words("execute_cell_streaming", dict{"cell_index": 2, "progress_interval": 1})
	c.row("001.016", strings.Count(stream, "\n") > 1 && strings.Contains(stream, "b"), stream)
	progressed := p.ask("tools/call", dict{"name": "execute_cell_with_progress", "arguments": dict{"cell_index": 2}, "_meta": dict{"progressToken": "p"}})
	c.row("001.017", !progressed.Failed && find(results(p.noted("notifications/progress")), "progressToken", "p") != nil, progressed.Raw)
	magic := words("execute_ipython", dict{"code": "%who"})
	c.row("001.018", strings.Contains(magic, "x"), magic)
	shell := words("execute_ipython", dict{"code": "!echo from the shell"})
	c.row("001.019", strings.Contains(shell, "from the shell"), shell)
	files := words("list_files", dict{"path": folder, "max_depth": 2})
	c.row("001.020", strings.Contains(files, "c.txt") && strings.Contains(files, "a.ipynb"), files)
	kernels := words("list_kernels", nil)
	c.row("001.021", strings.Contains(kernels, "python3") && strings.Contains(kernels, "Python 3"), kernels)
	again := words("restart_notebook", dict{"notebook_name": "nb"})
	c.row("001.022", strings.Contains(again, "Notebook 'nb' kernel restarted successfully"), again)
	gone := words("execute_cell_simple_timeout", dict{"cell_index": 1})
	c.row("001.023", strings.Contains(gone, "NameError"), gone)
	index := p.call("read_cell", dict{"cell_index": 99})
	c.row("001.027", index.Failed && strings.Contains(index.Raw, "99"), index.Raw)
	wrong := p.call("use_notebook", dict{"notebook_name": "w", "notebook_path": "../w.ipynb"})
	c.row("001.028", wrong.Failed && strings.Contains(wrong.Raw, ".."), wrong.Raw)
	typed := p.call("read_cell", dict{"cell_index": dict{"a": 1}})
	c.row("001.029", (typed.Failed || typed.Code != 0) && strings.Contains(typed.Raw, "cell_index"), typed.Raw)
	negative := p.call("overwrite_cell_source", dict{"cell_index": -1, "cell_source": "x"})
	c.row("001.030", negative.Failed && strings.Contains(negative.Raw, "-1"), negative.Raw)
	unused := words("unuse_notebook", dict{"notebook_name": "nb"})
	c.row("001.024", strings.Contains(unused, "nb") && p.call("unuse_notebook", dict{"notebook_name": "nb"}).Failed, unused)
}
