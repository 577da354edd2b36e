package seeds

import (
	"regexp"
	"strings"
	"time"
)

// iso matches a time in the format of JavaScript's toISOString, with any fraction of a second.
var iso = regexp.MustCompile(`^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)

// file makes a notebook of cells, each a JSON object.
func file(c *check, cells ...string) string {
	return c.Server.Write(c, c.Server.Name(c, ".ipynb"), `{"nbformat":4,"nbformat_minor":5,"metadata":{"kernelspec":{"name":"python3","display_name":"Python 3 (ipykernel)","language":"python"},"language_info":{"name":"python","file_extension":".py","mimetype":"text/x-python"}},"cells":[`+strings.Join(cells, ",")+`]}`)
}

// listed returns the listed resources by their addresses.
func listed(p *program) map[string]any {
	return p.all("resources/list", "resources", "uri")
}

// addressOf returns the address of a notebook among the resources.
func addressOf(p *program, path string) string {
	for _, nb := range list(decoded(text(p.resource("notebook://list").Result, "contents.0.text")), "") {
		if at(nb, "path") == path {
			return "notebook://" + text(nb, "sessionId") + "/" + text(nb, "id")
		}
	}
	p.t.Fatalf("%s is not in the list of notebooks", path)
	return ""
}

// Seed 000: notebooks as resources.
func checkResources(c *check) {
	p := start(c, c.Server)
	contents := func(uri, path string) any { return at(p.resource(uri).Result, "contents.0."+path) }
	body := func(uri string) string { return text(p.resource(uri).Result, "contents.0.text") }

	// Before any notebook is open.
	before := listed(p)["notebook://list"]
	c.row("000.001", before != nil)
	c.row("000.002", at(before, "name") == "Active Notebooks" && at(before, "mimeType") == "application/json", before)
	c.row("000.003", at(before, "description") == "0 active notebooks", before)
	c.row("000.004", body("notebook://list") == "[]")
	none := p.resource("notebook://current")
	c.row("000.005", none.Code == -32602 && strings.Contains(none.Message, "No notebook for current session"), none.Raw)

	path := file(c,
		`{"id":"title","cell_type":"markdown","metadata":{},"source":"# Sales\n\nBy month."}`,
		`{"id":"load","cell_type":"code","metadata":{},"outputs":[],"execution_count":null,"source":"print('one')\n1/0"}`,
		`{"id":"html","cell_type":"code","metadata":{},"execution_count":1,"outputs":[{"output_type":"display_data","metadata":{},"data":{"text/html":"<b>fine</b><script>alert(1)</script>","text/plain":"plain words"}},{"output_type":"stream","name":"stdout","text":"\u001b[31mred\u001b[0m"}],"source":"2"}`,
	)
	p.good("read_nb_cells", dict{"path": path})
	uri := addressOf(p, path)
	session, id := strings.Split(uri, "/")[2], strings.Split(uri, "/")[3]
	ran := p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}})
	run := text(ran.JSON, "execution_results.0.run_id")

	// The list of notebooks.
	all := p.resource("notebook://list")
	entry := find(list(decoded(text(all.Result, "contents.0.text")), ""), "id", id)
	c.row("000.006", at(all.Result, "contents.0.uri") == "notebook://list" && at(all.Result, "contents.0.mimeType") == "application/json", all.Raw)
	c.row("000.007", text(entry, "id") == id && text(entry, "sessionId") == session && number(entry, "cellCount") == 3, entry)
	c.row("000.008", has(entry, "pattern") && iso.MatchString(text(entry, "createdAt")), entry)
	c.row("000.009", strings.HasPrefix(text(all.Result, "contents.0.text"), "[\n  {\n    \""), all.Raw)
	now := listed(p)
	c.row("000.010", at(now["notebook://list"], "description") == "1 active notebook", now["notebook://list"])
	c.row("000.063", body("notebook://list") == text(all.Result, "contents.0.text")) // requested repeatedly

	// A notebook, and its cells, among the resources.
	nb, cells := now[uri], now[uri+"/cells"]
	c.row("000.011", at(nb, "mimeType") == "text/markdown", nb)
	c.row("000.012", text(nb, "name") == path, nb)
	c.row("000.013", text(nb, "description") == "Notebook "+path+", in session "+session, nb)
	c.row("000.014", at(cells, "mimeType") == "application/json", cells)
	c.row("000.015", text(cells, "name") == path+" Cells" && text(cells, "description") == "3 cells of "+path, cells)

	// Its forms.
	whole := p.resource(uri)
	md := text(whole.Result, "contents.0.text")
	c.row("000.016", at(whole.Result, "contents.0.mimeType") == "text/markdown" && md == body(uri+"/srcmd"), whole.Raw)
	c.row("000.017", body(uri+"/srcmd") == md && md != "")
	meta := at(whole.Result, "contents.0._meta")
	c.row("000.018", text(meta, "sessionId") == session && text(meta, "notebookId") == id && number(meta, "cellCount") == 3 && iso.MatchString(text(meta, "createdAt")) && iso.MatchString(text(meta, "lastModified")), meta)
	c.row("000.020", iso.MatchString(text(meta, "lastExecuted")) && number(meta, "totalExecutions") == 1 && at(meta, "hasErrors") == true, meta)
	c.row("000.021", text(meta, "name") == text(nb, "name") && text(meta, "description") == text(nb, "description"), meta)
	c.row("000.022", strings.Contains(md, "# Sales") && strings.Contains(md, "###### load.py\n\n```python\nprint('one')\n1/0\n```"), md)
	js := decoded(body(uri + "/json"))
	c.row("000.023", number(js, "nbformat") == 4 && len(list(js, "cells")) == 3, js)
	listedCells := list(decoded(body(uri+"/cells")), "")
	c.row("000.024", len(listedCells) == 3 && text(listedCells[0], "id") == "title" && text(listedCells[0], "type") == "markdown" && text(listedCells[1], "source") == "print('one')\n1/0", listedCells)
	one := p.resource(uri + "/cells/load")
	c.row("000.025", text(one.Result, "contents.0.text") == "print('one')\n1/0", one.Raw)
	c.row("000.026", text(one.Result, "contents.0.mimeType") == "text/x-python", one.Raw)
	cell := at(one.Result, "contents.0._meta")
	c.row("000.027", text(cell, "cellId") == "load" && text(cell, "cellType") == "code" && text(cell, "language") == "python" && text(cell, "filename") == "load.py" && text(cell, "status") == "idle" && at(cell, "hasOutputs") == true, cell)
	c.row("000.028", contents(uri+"/cells/title", "mimeType") == "text/markdown")
	c.row("000.029", body("notebook://current") == md)
	c.row("000.066", at(whole.Result, "contents.0.type") == nil && text(whole.Result, "contents.0.uri") == uri, whole.Raw)

	src := "file:///notebooks/" + session + "/"
	c.row("000.050", strings.Contains(body(src+"notebook.src.md"), "###### load.py"), p.resource(src+"notebook.src.md").Raw)
	empty := file(c)
	p.good("get_nb_stat", dict{"path": empty})
	c.row("000.030", body(addressOf(p, empty)) == "Empty notebook", body(addressOf(p, empty)))

	// Refused requests.
	refused := func(uri string, code int, says string) bool {
		a := p.resource(uri)
		return a.Code == code && strings.Contains(a.Message, says)
	}
	c.row("000.031", refused("notebook://"+session+"/nope", -32602, "not found"))
	c.row("000.032", refused("notebook://wrong/"+id, -32602, "not found"))
	c.row("000.033", refused(uri+"/cells/nope", -32602, "not found"))
	c.row("000.034", refused(uri+"/xml", -32602, "format"))
	c.row("000.035", refused("foo://x", -32602, "nknown"))
	c.row("000.036", refused("notebook://", -32602, ""))
	c.row("000.037", p.ask("resources/write", dict{"uri": uri}).Code == -32601)
	lost := nowhere(c)
	c.row("000.064", lost.resource("context://project/overview").Code == -32603)

	// Reading changes and runs nothing.
	c.row("000.038", body(uri) == md && p.ask("resources/delete", dict{"uri": uri}).Code == -32601)
	count := number(at(decoded(body(uri+"/json")), "cells.1"), "execution_count")
	c.row("000.039", count == 1 && number(p.resource(uri).Result, "contents.0._meta.totalExecutions") == 1)
	outs := body(uri + "/cells/html/outputs")
	c.row("000.040", !strings.Contains(outs, "<script") && !strings.Contains(outs, "[31m") && !strings.Contains(outs, "\\u001b"), outs)
	c.row("000.041", strings.Contains(outs, "plain words") && strings.Contains(outs, "red"), outs)

	// Another client.
	other := start(c, c.Server)
	_, seen := listed(other)[uri]
	c.row("000.042", !seen && text(other.resource("notebook://list").Result, "contents.0.text") == "[]")
	c.row("000.043", other.resource(uri).Code == -32602)

	// Changes.
	if a := p.ask("resources/subscribe", dict{"uri": uri}); a.Code != 0 {
		c.Fatal(a.Raw)
	}
	p.good("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"type": "markdown", "content": "new"}}, "exec": false})
	told := func() bool { return find(results(p.noted("notifications/resources/updated")), "uri", uri) != nil }
	c.row("000.045", eventually(told))
	noted := func(what string) int { return len(p.noted("notifications/resources/" + what)) }
	time.Sleep(500 * time.Millisecond) // until the earlier notifications have been sent
	changes, updates := noted("list_changed"), noted("updated")
	p.good("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"type": "markdown", "content": "newer"}}, "exec": false})
	c.row("000.047", eventually(func() bool { return noted("updated") > updates }) && noted("list_changed") == changes)
	third := file(c, `{"id":"a","cell_type":"raw","metadata":{},"source":"x"}`)
	p.good("get_nb_stat", dict{"path": third})
	c.row("000.046", eventually(func() bool { return noted("list_changed") > changes }))
	if a := p.ask("resources/unsubscribe", dict{"uri": uri}); a.Code != 0 {
		c.Fatal(a.Raw)
	}
	updates = noted("updated")
	p.good("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"type": "markdown", "content": "newest"}}, "exec": false})
	time.Sleep(700 * time.Millisecond) // longer than changes are collected
	c.row("000.048", noted("updated") == updates)

	// As files.
	export := src + strings.TrimSuffix(path, ".ipynb")
	c.row("000.049", listed(p)[export+".src.md"] != nil, export)
	c.row("000.051", body(export+"/cells/load.py") == "print('one')\n1/0", p.resource(export+"/cells/load.py").Raw)
	c.row("000.052", body(src+"cells/load.py") == "print('one')\n1/0")

	// Runs.
	exec := decoded(body(uri + "/executions/" + run))
	c.row("000.059", text(exec, "cellId") == "load" && text(exec, "state") == "failed", exec)
	templates := p.ask("resources/templates/list", dict{})
	c.row("000.065", strings.Contains(templates.Raw, "\"notebook://{session_id}/{notebook_id}"), templates.Raw)

	// Export and import.
	made := p.good("notebook_import", dict{"path": c.Server.Name(c, ".ipynb"), "content": body(uri)})
	back := text(made.JSON, "path")
	_, there, _ := strings.Cut(body(uri), "<!-- cell")
	_, again, _ := strings.Cut(body(addressOf(p, back)), "<!-- cell")
	c.row("000.060", made.Code == 0 && again == there, again)

	// Closed.
	p.good("end_nb_session", dict{"path": path})
	_, seen = listed(p)[uri]
	c.row("000.061", !seen && refused(uri, -32602, "not found"))
	short := start(c, c.Server, "--session-timeout=0.05")
	short.good("get_nb_stat", dict{"path": third})
	gone := addressOf(short, third)
	c.row("000.062", eventually(func() bool { return listed(short)[gone] == nil }) && short.resource(gone).Code == -32602)

	checkTemplates(c, p)
}

// Seed 000's templates for new notebooks.
func checkTemplates(c *check, p *program) {
	for id, name := range map[string]string{"000.053": "tree_of_thought", "000.054": "beam_search", "000.055": "mcts"} {
		a := p.resource("notebook://templates/" + name)
		c.row(id, a.Code == 0 && strings.Contains(text(a.Result, "contents.0.text"), "# ") && listed(p)["notebook://templates/"+name] != nil, a.Raw)
	}
	made := p.good("notebook_from_template", dict{"pattern": "tree_of_thought", "path": c.Server.Name(c, ".ipynb"), "title": "My own"})
	c.row("000.056", strings.Contains(c.Server.Read(c, text(made.JSON, "path")), "My own"), made.Raw)
	entry := find(list(decoded(text(p.resource("notebook://list").Result, "contents.0.text")), ""), "path", text(made.JSON, "path"))
	c.row("000.019", at(p.resource(addressOf(p, text(made.JSON, "path"))).Result, "contents.0._meta.pattern") == "tree_of_thought")
	c.row("000.058", text(entry, "pattern") == "tree_of_thought", entry)
}

// results returns the parameters of notifications.
func results(all []answer) (l []any) {
	for _, a := range all {
		l = append(l, a.Result)
	}
	return l
}

// eventually reports whether a condition becomes true.
func eventually(so func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return false
}
