package seeds

import (
	"strings"
)

// Seed 002: the kernels of notebooks.
func checkKernels(c *check) {
	p := start(c, c.Server)
	all := p.good("list_available_kernels", nil)
	python := find(list(all.JSON, "kernels"), "name", "python3")
	c.row("002.080", has(python, "name", "display_name", "language", "path") && text(python, "language") == "python" && text(python, "display_name") != "", all.Raw)

	c.row("002.081", strings.HasSuffix(text(python, "path"), "/kernelspecs/python3"), python)

	path := c.Server.Notebook(c, "x = 1", "print(x + 1)")
	assigned := p.good("assign_nb_kernel", dict{"path": path, "kernel_name": "python3"})
	c.row("002.083", text(assigned.JSON, "message") != "" && at(assigned.JSON, "kernel_assigned") == true && text(assigned.JSON, "kernel_name") == "python3", assigned.Raw)
	kernel := func() string { return text(p.good("get_nb_stat", dict{"path": path}).JSON, "kernel.id") }
	first := kernel()
	c.row("002.084", len(first) == 36, first)
	none := p.call("assign_nb_kernel", dict{"path": path, "kernel_name": "nope"})
	c.row("002.085", none.Failed && strings.Contains(none.Raw, "nope") && strings.Contains(none.Raw, "python3"), none.Raw)
	c.row("002.086", p.call("assign_nb_kernel", dict{"path": "none.ipynb", "kernel_name": "python3"}).Failed)

	again := p.good("restart_nb_kernel", dict{"path": path})
	c.row("002.071", text(again.JSON, "message") != "" && at(again.JSON, "kernel_restarted") == true && at(again.JSON, "outputs_cleared") == false && at(again.JSON, "cells_executed") == true, again.Raw)
	c.row("002.074", text(again.JSON, "message") == "Successfully restarted notebook kernel and executed cells" && text(p.good("read_nb_cells", dict{"path": path}).JSON, "cells.1.outputs.0.text") == "2\n", again.Raw)
	quiet := p.good("restart_nb_kernel", dict{"path": path, "exec": false})
	c.row("002.072", kernel() == first && at(quiet.JSON, "kernel_restarted") == true && at(quiet.JSON, "cells_executed") == false, quiet.Raw)
	gone := p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}})
	c.row("002.073", text(gone.JSON, "execution_results.0.outputs.0.name") == "NameError", gone.Raw)
	cleared := p.good("restart_nb_kernel", dict{"path": path, "exec": false, "clear_outputs": true})
	c.row("002.075", at(cleared.JSON, "outputs_cleared") == true && len(list(p.good("read_nb_cells", dict{"path": path}).JSON, "cells.1.outputs")) == 0, cleared.Raw)
	other := c.Server.Notebook(c, "1")
	began := p.good("restart_nb_kernel", dict{"path": other, "kernel_name": "python3", "exec": false})
	c.row("002.076", at(began.JSON, "kernel_restarted") == true && text(p.good("get_nb_stat", dict{"path": other}).JSON, "kernel.name") == "python3", began.Raw)
	c.row("002.077", p.call("restart_nb_kernel", dict{"path": "none.ipynb"}).Failed)
	bad := p.call("restart_nb_kernel", dict{"path": c.Server.Notebook(c, "1"), "kernel_name": "nope"})
	c.row("002.078", bad.Failed && strings.Contains(bad.Raw, "nope") && strings.Contains(bad.Raw, "python3"), bad.Raw)

	lost := nowhere(c).call("list_available_kernels", nil)
	c.row("002.155", lost.Failed && strings.Contains(lost.Raw, "127.0.0.1:9") && strings.Contains(lost.Raw, "refused"), lost.Raw)
}
