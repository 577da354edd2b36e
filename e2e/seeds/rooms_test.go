package seeds

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// schemas are the schemas of the arguments of all tools, by the tools' names.
func schemas(p *program) map[string]any {
	return p.all("tools/list", "tools", "name")
}

// takes reports whether a tool requires exactly these arguments, and has the further ones with their defaults; nil means
// any default.
func takes(tool any, required []string, further dict) bool {
	var asked []string
	for _, name := range list(tool, "inputSchema.required") {
		asked = append(asked, name.(string))
	}
	slices.Sort(asked)
	required = slices.Sorted(slices.Values(required))
	if tool == nil || !slices.Equal(asked, required) || !has(at(tool, "inputSchema.properties"), required...) {
		return false
	}
	for name, value := range further {
		arg := at(tool, "inputSchema.properties."+name)
		if arg == nil || value != nil && fmt.Sprint(at(arg, "default")) != fmt.Sprint(value) {
			return false
		}
	}
	return true
}

// Seed 002: the arguments of the room tools.
func checkSchemas(c *check) {
	p := start(c, c.Server, "--toolsets=all", "--output-schemas=full")
	all := schemas(p)
	for _, want := range []struct {
		row, tool string
		required  []string
		further   dict
	}{
		{"002.001", "get_base_url", nil, nil},
		{"002.003", "nb_path_from_url", []string{"url"}, nil},
		{"002.011", "list_nbs", nil, dict{"path": nil}},
		{"002.020", "get_nb_stat", []string{"path"}, nil},
		{"002.024", "read_nb_cells", []string{"path"}, dict{"ranges": nil, "maxCellData": 2048}},
		{"002.043", "modify_nb_cells", []string{"path", "modifications"}, dict{"exec": true, "maxCellOutputSize": 2000}},
		{"002.055", "insert_nb_cells", []string{"path", "cells"}, dict{"position": nil, "exec": true, "maxCellOutputSize": 2000}},
		{"002.061", "delete_nb_cells", []string{"path", "ranges"}, nil},
		{"002.064", "execute_nb_cells", []string{"path", "ranges"}, dict{"maxCellOutputSize": 2000}},
		{"002.070", "restart_nb_kernel", []string{"path"}, dict{"clear_outputs": false, "exec": true, "kernel_name": nil}},
		{"002.079", "list_available_kernels", nil, nil},
		{"002.082", "assign_nb_kernel", []string{"path", "kernel_name"}, nil},
		{"002.087", "get_document_content", []string{"path"}, dict{"max_content": 32768}},
		{"002.091", "insert_document_text", []string{"path", "position", "text"}, nil},
		{"002.094", "delete_document_text", []string{"path", "position", "length"}, nil},
		{"002.096", "replace_document_text", []string{"path", "position", "length", "text"}, nil},
		{"002.100", "list_documents", nil, dict{"path": nil}},
		{"002.105", "create_document", []string{"path"}, dict{"type": "notebook", "content": nil}},
		{"002.111", "get_document_info", []string{"path"}, dict{"include_content": false, "max_content": 32768}},
		{"002.118", "rename_document", []string{"path", "newPath"}, nil},
		{"002.120", "copy_document", []string{"path", "copyPath"}, nil},
		{"002.122", "overwrite_document", []string{"path", "content"}, nil},
		{"002.124", "delete_document", []string{"path"}, nil},
		{"002.131", "query_nb_sessions", nil, dict{"root_path": nil}},
		{"002.137", "end_nb_session", []string{"path"}, nil},
		{"002.142", "query_document_session", []string{"path"}, nil},
		{"002.145", "end_document_session", []string{"path"}, nil},
	} {
		c.row(want.row, takes(all[want.tool], want.required, want.further), all[want.tool])
	}
	c.row("002.025", at(all["read_nb_cells"], "outputSchema.properties.cells.items.properties.source") != nil, all["read_nb_cells"])
	c.row("002.106", fmt.Sprint(at(all["create_document"], "inputSchema.properties.type.enum")) == "[notebook file markdown]", all["create_document"])
}

// Seed 002: addresses, and lists of notebooks.
func checkAddresses(c *check) {
	p := start(c, c.Server)
	base := text(p.good("get_base_url", nil).JSON, "base_url")
	c.row("002.002", base == c.Server.URL, base)
	of := func(address string) answer { return p.call("nb_path_from_url", dict{"url": address}) }
	for row, pattern := range map[string]string{"002.005": "tree", "002.006": "notebooks", "002.007": "edit", "002.008": "view"} {
		a := of(base + "/" + pattern + "/example/notebook1.ipynb")
		c.row(row, text(a.JSON, "notebook_path") == "example/notebook1.ipynb", a.Raw)
	}
	whole := of(base + "/tree/example/notebook1.ipynb").JSON
	c.row("002.004", text(whole, "original_url") == base+"/tree/example/notebook1.ipynb" && text(whole, "base_url") == base, whole)
	c.row("002.009", text(of(base+"/tree/my%20work/%C3%BC%23.ipynb").JSON, "notebook_path") == "my work/ü#.ipynb")
	c.row("002.010", of(base+"/tree/example/notes.md").Failed)

	name := c.Server.Name(c, " ü.ipynb")
	folder := "folder of " + strings.TrimSuffix(name, ".ipynb")
	path := c.Server.Write(c, folder+"/sub/"+name, c.Server.Read(c, c.Server.Notebook(c, "1")))
	all := p.good("list_nbs", nil)
	entry := find(list(all.JSON, "notebooks"), "path", path)
	c.row("002.012", entry != nil, all.Raw)
	c.row("002.013", has(entry, "path", "name", "last_modified", "created", "size", "writable", "url"), entry)
	c.row("002.014", list(all.JSON, "notebooks") != nil)
	c.row("002.015", iso.MatchString(text(entry, "last_modified")) && iso.MatchString(text(entry, "created")) && int(number(entry, "size")) == len(c.Server.Read(c, path)), entry)
	c.row("002.016", strings.HasPrefix(text(entry, "url"), base+"/lab/tree/"), entry)
	c.row("002.017", strings.HasSuffix(text(entry, "url"), "/"+url.PathEscape(name)) && text(of(text(entry, "url")).JSON, "notebook_path") == path, entry)
	below := list(p.good("list_nbs", dict{"path": "/" + folder}).JSON, "notebooks")
	c.row("002.019", len(below) == 1 && text(below[0], "path") == path, below)
	c.row("002.018", !strings.HasPrefix(text(entry, "path"), "/") && p.good("get_nb_stat", dict{"path": "/" + path}).Code == 0)

	c.Server.Write(c, folder+"/a.md", "# a")
	docs := p.good("list_documents", dict{"path": folder})
	c.row("002.101", len(list(docs.JSON, "")) == 2, docs.Raw)
	md, sub := find(list(docs.JSON, ""), "name", "a.md"), find(list(docs.JSON, ""), "name", "sub")
	c.row("002.102", has(md, "name", "path", "type", "created", "last_modified", "size", "writable", "url"), md)
	nb := at(p.good("list_documents", dict{"path": folder + "/sub"}).JSON, "0")
	c.row("002.104", text(md, "type") == "file" && text(sub, "type") == "directory" && text(nb, "type") == "notebook", docs.Raw)
	in := base + "/lab/tree/" + url.PathEscape(folder)
	c.row("002.103", text(md, "url") == in+"/a.md" && text(sub, "url") == in+"/sub" && strings.HasPrefix(text(nb, "url"), in+"/sub/"), docs.Raw)
}

// Seed 002: cells, read and written where a person has the notebook open.
func checkCells(c *check) {
	lobby, err := sessiontest.Server(c.T, c.Server).Rooms.Dial(c.Context(), "JupyterLab:globalAwareness", "")
	if err != nil {
		c.Fatal(err)
	}
	defer lobby.Close()
	p := start(c, c.Server)
	path := c.Server.Notebook(c, "'Result: 42'", "print('x' * 5000)", "1/0")
	person := sessiontest.PersonIn(c.T, sessiontest.Server(c.T, c.Server), path)
	source := func(i int) string { cell, _ := person.Notebook.CellAt(i); return cell.Source }
	edit := func(f func(e *ydoc.Editor) error) {
		c.Helper()
		if err := person.Notebook.Edit("type", f); err != nil {
			c.Fatal(err)
		}
	}
	edit(func(e *ydoc.Editor) error {
		_, err := e.Insert(3, ydoc.NewCell{Type: "markdown", Source: "unsaved"}, ydoc.NewCell{Type: "raw", Source: "raw"})
		return err
	})

	// The room's content, ahead of the file.
	var stat answer
	c.row("002.023", eventually(func() bool {
		stat = p.good("get_nb_stat", dict{"path": path})
		return number(stat.JSON, "cell_count") == 5
	}))
	c.row("002.021", has(stat.JSON, "path", "cell_count", "last_modified", "kernel") && text(stat.JSON, "path") == path && iso.MatchString(text(stat.JSON, "last_modified")), stat.Raw)
	c.row("002.022", number(stat.JSON, "cell_count") == 5, stat.Raw)
	all := p.good("read_nb_cells", dict{"path": path})
	cells := list(all.JSON, "cells")
	c.row("002.027", len(cells) == 5, all.Raw)
	c.row("002.028", text(all.JSON, "path") == path && has(all.JSON, "cells", "truncated") && number(all.JSON, "max_cell_data") == 2048, all.Raw)
	c.row("002.029", has(at(cells, "0"), "index", "id", "cell_type", "source", "metadata", "execution_count", "outputs", "truncated"), at(cells, "0"))
	c.row("002.030", text(cells, "0.cell_type") == "code" && text(cells, "3.cell_type") == "markdown" && text(cells, "4.cell_type") == "raw", all.Raw)
	c.row("002.031", has(at(cells, "0"), "execution_count") && at(cells, "0.execution_count") == nil)
	c.row("002.032", strings.Contains(all.Texts[0], `"outputs":[]`) && len(list(cells, "0.outputs")) == 0)
	c.row("002.042", text(cells, "3.source") == "unsaved")

	// Runs.
	ran := p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 2}, {"start": 2, "end": 3}}})
	c.row("002.065", text(ran.JSON, "message") != "" && number(ran.JSON, "executed_ranges") == 2 && number(ran.JSON, "executed_cells") == 3 && len(list(ran.JSON, "execution_results")) == 3, ran.Raw)
	one := at(ran.JSON, "execution_results.0")
	c.row("002.047", has(one, "outputs", "truncated", "original_size") && at(one, "truncated") == false, one)
	c.row("002.066", text(one, "outputs.0.data.text/plain") == "'Result: 42'" && has(at(one, "outputs.0"), "metadata", "execution_count"), one)
	c.row("002.067", source(0) == "'Result: 42'" && source(2) == "1/0")
	failed := at(ran.JSON, "execution_results.2.outputs.0")
	c.row("002.068", text(failed, "name") == "ZeroDivisionError" && text(failed, "value") == "division by zero" && len(list(failed, "traceback")) > 0, failed)
	long := at(ran.JSON, "execution_results.1")
	c.row("002.052", at(long, "truncated") == true && number(long, "original_size") == 5001 && characters(long, "outputs.0.text") <= 2000, long)
	read := p.good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0, "end": 3}}})
	cells = list(read.JSON, "cells")
	c.row("002.033", text(cells, "0.outputs.0.data.text/plain") == "'Result: 42'" && has(at(cells, "0.outputs.0"), "metadata") && number(cells, "0.outputs.0.execution_count") == 1, read.Raw)
	c.row("002.034", text(cells, "2.outputs.0.name") == "ZeroDivisionError" && text(cells, "2.outputs.0.value") == "division by zero" && len(list(cells, "2.outputs.0.traceback")) > 0, read.Raw)
	c.row("002.035", strings.HasPrefix(text(cells, "1.outputs.0.text"), "xxx"), read.Raw)
	c.row("002.036", fmt.Sprint(list(cells, "1.truncated.outputs")) == "[true]" && fmt.Sprint(list(cells, "0.truncated.outputs")) == "[false]", read.Raw)
	c.row("002.037", at(read.JSON, "truncated") == true, read.Raw)
	c.row("002.038", characters(cells, "1.outputs.0.text") <= 2048 && characters(cells, "1.outputs.0.text") > 1000, read.Raw)
	small := p.good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}, "maxCellData": 10})
	c.row("002.039", characters(small.JSON, "cells.0.source") <= 10 && at(small.JSON, "cells.0.truncated.source") == true, small.Raw)
	large := p.good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}, "maxCellData": 6000})
	c.row("002.040", at(large.JSON, "truncated") == false && text(large.JSON, "cells.0.outputs.0.text") == strings.Repeat("x", 5000)+"\n", len(large.Raw))
	c.row("002.054", eventually(func() bool {
		cell, _ := person.Notebook.CellAt(1)
		return len(cell.Outputs) == 1 && cell.Outputs[0]["text"] == strings.Repeat("x", 5000)+"\n"
	}))
	open := p.good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}, {"start": 3}}})
	c.row("002.041", len(list(open.JSON, "cells")) == 2 && number(open.JSON, "cells.0.index") == 1 && number(open.JSON, "cells.1.index") == 3, open.Raw)
	kernel := at(p.good("get_nb_stat", dict{"path": path}).JSON, "kernel")
	c.row("002.026", text(kernel, "name") == "python3" && len(text(kernel, "id")) == 36 && text(kernel, "state") == "idle", kernel)
	few := p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}, "maxCellOutputSize": 50})
	c.row("002.053", characters(few.JSON, "execution_results.0.outputs.0.text") <= 50 && at(few.JSON, "execution_results.0.truncated") == true, few.Raw)

	// Changes.
	count := func(i int) int {
		cell, _ := person.Notebook.CellAt(i)
		if cell.ExecutionCount == nil {
			return 0
		}
		return *cell.ExecutionCount
	}
	mod := p.good("modify_nb_cells", dict{"path": path, "modifications": []dict{{"range": dict{"start": 0, "end": 1}, "content": "print('new')"}, {"range": dict{"start": 2, "end": 3}, "content": "2 + 2"}}})
	c.row("002.044", eventually(func() bool { return source(0) == "print('new')" && source(2) == "2 + 2" }))
	c.row("002.045", text(mod.JSON, "message") != "" && number(mod.JSON, "modified_ranges") == 2 && at(mod.JSON, "executed") == true && len(list(mod.JSON, "execution_results")) == 2, mod.Raw)
	c.row("002.046", text(mod.JSON, "message") == "Successfully modified 2 cell ranges and executed cells", mod.Raw)
	c.row("002.048", eventually(func() bool {
		cell, _ := person.Notebook.CellAt(0)
		return len(cell.Outputs) == 1 && cell.Outputs[0]["text"] == "new\n"
	}))
	eventually(func() bool { return count(2) > 0 })
	before, ran1 := count(2), count(0)
	quiet := p.good("modify_nb_cells", dict{"path": path, "exec": false, "modifications": []dict{{"range": dict{"start": 0, "end": 2}, "content": "'both'"}}})
	c.row("002.049", at(quiet.JSON, "executed") == false && !has(quiet.JSON, "execution_results"), quiet.Raw)
	c.row("002.051", eventually(func() bool { return source(0) == "'both'" && source(1) == "'both'" }))
	c.row("002.050", source(0) == "'both'" && count(0) == ran1 && count(2) == before, before)
	ins := p.good("insert_nb_cells", dict{"path": path, "position": 1, "cells": []dict{{"content": "'Insertion successful'"}, {"type": "markdown", "content": "# New"}}})
	c.row("002.057", text(ins.JSON, "message") != "" && at(ins.JSON, "executed") == true && len(list(ins.JSON, "execution_results")) == 1, ins.Raw)
	c.row("002.058", strings.HasPrefix(text(ins.JSON, "message"), "Successfully inserted"), ins.Raw)
	kind := func(i int) string { cell, _ := person.Notebook.CellAt(i); return cell.Type }
	c.row("002.056", eventually(func() bool { return kind(1) == "code" && kind(2) == "markdown" }) && p.call("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"type": "heading", "content": "x"}}}).Failed)
	c.row("002.059", source(1) == "'Insertion successful'" && source(2) == "# New")
	n := person.Notebook.Len()
	p.good("insert_nb_cells", dict{"path": path, "position": n, "cells": []dict{{"content": "last"}}, "exec": false})
	c.row("002.060", eventually(func() bool { return person.Notebook.Len() == n+1 && source(n) == "last" }) && count(n) == 0)
	p.good("read_nb_cells", dict{"path": path})
	del := p.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 3}, {"start": n, "end": n + 1}}})
	c.row("002.062", text(del.JSON, "message") == "Successfully deleted 3 cells" && number(del.JSON, "deleted_cells") == 3, del.Raw)
	c.row("002.063", eventually(func() bool { return person.Notebook.Len() == n-2 && source(1) == "'both'" }))
	shown := p.good("insert_nb_cells", dict{"path": path, "position": 0, "cells": []dict{{"content": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"}}})
	picture := at(shown.JSON, "execution_results.0.outputs")
	c.row("002.069", strings.Contains(shown.Raw, "image/png") && len(shown.Images) == 1 && !strings.Contains(shown.Texts[0], "iVBOR"), picture)
	var says []byte
	for err == nil && !bytes.Contains(says, []byte(path)) {
		_, says, err = lobby.ReadMessage()
	}
	c.row("002.157", err == nil && bytes.Contains(says, []byte("seeds (AI)")), err, string(says))
	c.row("002.156", slices.ContainsFunc(person.Seen.Peers(), func(s awareness.State) bool { return strings.Contains(string(s.Raw), "seeds (AI)") }))
}
