package seeds

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// Seed 003: the arguments of the analysis tools.
func checkAnalysisSchemas(c *check) {
	all := schemas(start(c, c.Server, "--toolsets=analysis"))
	for row, tool := range []struct {
		name     string
		required []string
		further  dict
	}{
		{"session_create", nil, dict{"name": nil, "notebook_path": nil}},
		{"session_list", nil, nil},
		{"session_connect", nil, dict{"notebook_path": nil, "kernel_id": nil}},
		{"session_delete", []string{"session_id"}, nil},
		{"execute_code", []string{"code"}, dict{"session_id": nil, "timeout": nil}},
		{"get_variables", []string{"session_id"}, nil},
		{"get_dataframe_info", []string{"session_id", "variable_name"}, dict{"include_head": true, "head_rows": 5}},
		{"notebook_create", []string{"session_id", "name"}, nil},
		{"notebook_add_cell", []string{"session_id", "notebook_name", "cell_type", "source"}, dict{"position": nil}},
	} {
		c.row(fmt.Sprintf("003.%03d", row+1), takes(all[tool.name], tool.required, tool.further), all[tool.name])
	}
	c.row("003.010", fmt.Sprint(at(all["notebook_add_cell"], "inputSchema.properties.cell_type.enum")) == "[code markdown]", all["notebook_add_cell"])
	c.row("003.011", takes(all["file_list"], []string{"session_id"}, dict{"path": nil}), all["file_list"])
	c.row("003.012", takes(all["get_image_resource"], []string{"resource_uri"}, nil), all["get_image_resource"])
	plain := start(c, c.Server)
	listed := schemas(plain)
	found := plain.good("find_tools", dict{"query": "session_create"})
	c.row("003.013", listed["session_create"] == nil && strings.Contains(found.Raw, "session_create") && !plain.call("session_list", nil).Failed, found.Raw)
}

// Seed 003: sessions and their kernels.
func checkAnalysisSessions(c *check) {
	p := start(c, c.Server)
	made := p.good("session_create", nil)
	session, kernel := text(made.JSON, "session_id"), text(made.JSON, "kernel_id")
	c.row("003.014", session != "" && kernel != "" && text(made.JSON, "status") == "idle" && iso.MatchString(text(made.JSON, "created_at")), made.Raw)
	kernels := func() []string {
		all, err := sessiontest.Server(c.T, c.Server).Kernels.List(c.Context())
		if err != nil {
			c.Fatal(err)
		}
		ids := make([]string, len(all))
		for i, k := range all {
			ids[i] = k.ID
		}
		return ids
	}
	c.row("003.015", strings.Contains(fmt.Sprint(kernels()), kernel))
	entry := func(id string) any {
		return find(list(p.good("session_list", nil).JSON, "sessions"), "session_id", id)
	}
	c.row("003.016", text(entry(session), "kernel_id") == kernel, p.good("session_list", nil).Raw)
	slow := p.begin("tools/call", dict{"name": "execute_code", "arguments": dict{"session_id": session, "code": "import time\ntime.sleep(60)"}})
	c.row("003.017", eventually(func() bool { return text(entry(session), "status") == "busy" }))
	p.good("interrupt_execution", dict{"session_id": session})
	ended := <-slow
	c.row("003.034", text(ended.JSON, "error_type") == "KeyboardInterrupt", ended.Raw)
	c.row("003.018", eventually(func() bool { return text(entry(session), "status") == "idle" }))

	// Beside a person.
	path := c.Server.Notebook(c, "shared = 42", "print(shared)")
	browser := start(c, c.Server)
	browser.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 1}}})
	c.row("003.019", eventually(func() bool { // a list is at most two seconds old
		return find(list(p.good("session_list", nil).JSON, "kernels"), "notebook_path", path) != nil
	}), p.good("session_list", nil).Raw)
	joined := p.good("session_connect", dict{"notebook_path": path})
	id := text(joined.JSON, "session_id")
	c.row("003.020", id != "" && len(text(joined.JSON, "kernel_id")) == 36 && text(joined.JSON, "notebook_path") == path && text(joined.JSON, "status") == "idle" && at(joined.JSON, "connected") == true, joined.Raw)
	run := func(session, code string) answer {
		return p.good("execute_code", dict{"session_id": session, "code": code})
	}
	c.row("003.021", text(run(id, "print(shared)").JSON, "stdout") == "42\n")
	run(id, "shared = 43")
	seen := browser.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}})
	c.row("003.022", text(seen.JSON, "execution_results.0.outputs.0.text") == "43\n", seen.Raw)
	person := sessiontest.PersonIn(c.T, sessiontest.Server(c.T, c.Server), path)
	run(id, "print('from the agent')")
	c.row("003.023", eventually(func() bool {
		return slices.ContainsFunc(person.Notebook.Cells(), func(cell ydoc.Cell) bool {
			return cell.Source == "print('from the agent')" && len(cell.Outputs) == 1 && cell.Outputs[0]["text"] == "from the agent\n"
		})
	}), person.Notebook.Cells())
	byID := p.good("session_connect", dict{"kernel_id": kernel})
	c.row("003.024", text(byID.JSON, "kernel_id") == kernel && at(byID.JSON, "connected") == true, byID.Raw)
	own := c.Server.Notebook(c, "print(y)")
	with := p.good("session_create", dict{"notebook_path": own})
	run(text(with.JSON, "session_id"), "y = 'the same kernel'")
	opened := browser.good("execute_nb_cells", dict{"path": own, "ranges": []dict{{"start": 0, "end": 1}}})
	c.row("003.025", text(opened.JSON, "execution_results.0.outputs.0.text") == "the same kernel\n", opened.Raw)
	fresh := c.Server.Name(c, ".ipynb")
	absent := p.call("session_create", dict{"notebook_path": fresh})
	c.row("003.026", absent.Failed && strings.Contains(absent.Raw, fresh) && strings.Contains(absent.Raw, "create"), absent.Raw)
	unknown := p.call("session_connect", dict{"notebook_path": c.Server.Notebook(c, "1")})
	c.row("003.027", unknown.Failed && text(unknown.JSON, "error") == "session_not_found" && text(unknown.JSON, "message") != "", unknown.Raw)
	c.row("003.028", regexp.MustCompile(`^[ -~]+$`).MatchString(text(unknown.JSON, "message")), unknown.Raw)

	// The end.
	p.good("session_delete", dict{"session_id": id})
	c.row("003.092", strings.Contains(fmt.Sprint(kernels()), text(joined.JSON, "kernel_id")))
	end := p.good("session_delete", dict{"session_id": session})
	c.row("003.091", end.Code == 0 && p.call("execute_code", dict{"session_id": session, "code": "1"}).Failed)
	c.row("003.095", eventually(func() bool { return !strings.Contains(fmt.Sprint(kernels()), kernel) }))
	c.row("003.096", strings.Contains(c.Server.Read(c, own), "print(y)"))
	c.row("003.097", entry(session) == nil)
	for range 9 {
		p.good("session_create", nil)
	}
	over := p.call("session_create", nil)
	c.row("003.090", over.Failed && strings.Contains(over.Raw, "10"), over.Raw)
	leaving := start(c, c.Server)
	mine := text(leaving.good("session_create", nil).JSON, "kernel_id")
	leaving.stop()
	c.row("003.101", eventually(func() bool { return !strings.Contains(fmt.Sprint(kernels()), mine) }))
}
