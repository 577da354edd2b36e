package seeds

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// Seed 003: the tools of analysis, by what they take.
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
	found := plain.good("find_tools", dict{"wish": "make an analysis session"})
	c.row("003.013", listed["session_create"] == nil && strings.Contains(found.Raw, "session_create") && !plain.call("session_list", nil).Failed, found.Raw)
}

// Seed 003: sessions and their kernels.
func checkAnalysisSessions(c *check) {
	p := start(c, c.Server)
	made := p.good("session_create", nil)
	session, kernel := text(made.JSON, "session_id"), text(made.JSON, "kernel_id")
	c.row("003.014", session != "" && kernel != "" && text(made.JSON, "status") == "idle" && iso.MatchString(text(made.JSON, "created_at")), made.Raw)
	kernels := func() []string {
		all, err := sessiontest.Server(c.T, c.Server).Kernels(c.Context())
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
	c.row("003.019", find(list(p.good("session_list", nil).JSON, "kernels"), "notebook_path", path) != nil, p.good("session_list", nil).Raw)
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

// Seed 003: code.
func checkCode(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	run := func(code string) answer { return p.call("execute_code", dict{"session_id": session, "code": code}) }
	hello := run("print('hello')").JSON
	c.row("003.029", text(hello, "stdout") == "hello\n", hello)
	c.row("003.030", at(hello, "success") == true && has(hello, "stdout", "stderr", "result", "images", "execution_time_ms"), hello)
	both := run("import sys\nprint('to stderr', file=sys.stderr)\n6 * 7").JSON
	c.row("003.031", text(both, "stderr") == "to stderr\n" && strings.Contains(fmt.Sprint(at(both, "result")), "42"), both)
	failed := run("1/0").JSON
	c.row("003.032", at(failed, "success") == false && text(failed, "error_type") == "ZeroDivisionError" && text(failed, "error_message") == "division by zero" && strings.Contains(text(failed, "traceback"), "ZeroDivisionError"), failed)
	late := p.call("execute_code", dict{"session_id": session, "code": "import time\ntime.sleep(60)", "timeout": 0.5})
	c.row("003.033", at(late.JSON, "success") == false && text(late.JSON, "error_type") == "Timeout" && strings.Contains(text(late.JSON, "error_message"), "500ms"), late.Raw)
	p.good("interrupt_execution", dict{"session_id": session})
	path := c.Server.Notebook(c, "'zero'", "'one'")
	c.row("003.036", strings.Contains(p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}}).Raw, "'one'"))
	c.row("003.037", strings.Contains(p.good("execute_cell", dict{"session_id": text(p.good("session_create", dict{"notebook_path": path}).JSON, "session_id"), "cell_id": "c0"}).Raw, "'zero'"))
	big := p.call("execute_code", dict{"session_id": session, "code": "print('x' * 2500000)", "maxOutputSize": 100000})
	c.row("003.086", len(big.Raw) <= 1_000_000 && strings.Contains(big.Raw, "xxx"), big.Raw)
	gone := run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
	c.row("003.093", at(gone.JSON, "success") == false && text(gone.JSON, "error_type") == "KernelLost" && strings.Contains(text(gone.JSON, "error_message"), "process ended"), gone.Raw)
	c.row("003.094", eventually(func() bool { return text(run("print('again')").JSON, "stdout") == "again\n" }))
	c.row("003.098", regexp.MustCompile(`level=INFO.* tool=execute_code `).MatchString(p.Log()), p.Log())
	c.row("003.099", !strings.Contains(p.Log(), "print('hello')"))
	open := start(c, c.Server, "--log-code")
	open.good("execute_code", dict{"session_id": text(open.good("session_create", nil).JSON, "session_id"), "code": "print('logged')"})
	c.row("003.100", strings.Contains(open.Log(), "print('logged')"), open.Log())
	quiet := startWith(c, agent.Options{Env: env("JUPYTER_SERVER_URL="+c.Server.URL, "JUPYTER_TOKEN="+c.Server.Token, "NBDUET_STATE=:memory:", "LOG_LEVEL=error")})
	quiet.good("list_nbs", nil)
	c.row("003.102", quiet.Log() == "", quiet.Log())
	c.row("003.103", text(quiet.good("get_base_url", nil).JSON, "base_url") == c.Server.URL)
	lost := startWith(c, agent.Options{Env: env("JUPYTER_SERVER_URL=http://127.0.0.1:9", "JUPYTER_TOKEN=x", "NBDUET_STATE=:memory:")}).call("session_create", nil)
	c.row("003.105", lost.Failed && strings.Contains(lost.Raw, "127.0.0.1:9"), lost.Raw)
}

// Seed 003: pictures.
func checkPictures(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	const draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
	drawn := p.good("execute_code", dict{"session_id": session, "code": draw})
	image := at(drawn.JSON, "images.0")
	uri := text(image, "resource_uri")
	c.row("003.038", uri != "" && text(image, "mime_type") == "image/png" && text(image, "description") != "", drawn.Raw)
	c.row("003.039", regexp.MustCompile(`^jupyter://sessions/`+regexp.QuoteMeta(session)+`/images/[\w-]+\.png$`).MatchString(uri), uri)
	c.row("003.040", regexp.MustCompile(`/[0-9a-f]{20}\.png$`).MatchString(uri), uri)
	c.row("003.041", text(image, "description") == "Code [1]: import matplotlib.pyplot as plt", image)
	c.row("003.042", fmt.Sprint(drawn.Images) == "[image/png]", drawn.Images)
	c.row("003.110", len(drawn.Images) == 1)
	c.row("003.053", len(drawn.Images) == 1)
	res := listed(p)[uri]
	c.row("003.043", text(res, "mimeType") == "image/png", res)
	c.row("003.045", text(res, "title") == "Code [1]", res)
	cell := p.good("execute_nb_cells", dict{"path": c.Server.Notebook(c, "1", draw), "ranges": []dict{{"start": 0, "end": 2}}})
	var said []string
	for _, r := range listed(p) {
		if text(r, "mimeType") == "image/png" {
			said = append(said, text(r, "description"))
		}
	}
	c.row("003.046", slices.ContainsFunc(said, regexp.MustCompile(`^Cell \[2\] of \S+\.ipynb: import matplotlib.pyplot as plt$`).MatchString), said, cell.Raw)
	read := p.resource(uri)
	blob, err := base64.StdEncoding.DecodeString(text(read.Result, "contents.0.blob"))
	c.row("003.048", err == nil && text(read.Result, "contents.0.uri") == uri && text(read.Result, "contents.0.mimeType") == "image/png" && strings.HasPrefix(string(blob), "\x89PNG"), len(blob))
	got := p.good("get_image_resource", dict{"resource_uri": uri})
	c.row("003.049", text(got.JSON, "mime_type") == "image/png" && text(got.JSON, "data") == text(read.Result, "contents.0.blob") && number(got.JSON, "width") > 0 && number(got.JSON, "height") > 0, len(got.Raw))
	const svg = `import base64\nfrom IPython.display import display\ndisplay({'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="red"/></svg>'}, raw=True)`
	vector := p.good("execute_code", dict{"session_id": session, "code": strings.ReplaceAll(svg, `\n`, "\n")})
	at0 := at(vector.JSON, "images.0")
	c.row("003.050", text(at0, "mime_type") == "image/svg+xml" && len(vector.Images) == 1, vector.Raw)
	c.row("003.044", text(at0, "resource_uri") != "" && text(at0, "resource_uri") != uri)
	drawing := p.resource(text(at0, "resource_uri"))
	blob, err = base64.StdEncoding.DecodeString(text(drawing.Result, "contents.0.blob"))
	c.row("003.051", err == nil && text(drawing.Result, "contents.0.mimeType") == "image/svg+xml" && strings.Contains(string(blob), "<rect"), drawing.Raw)

	// Pictures of much.
	var cells []string
	for i := range 6 {
		noise := sample.NoisePNG(c, 300+i, 300)
		if i == 0 {
			noise = sample.NoisePNG(c, 700, 500) // larger than an answer may be
		}
		cells = append(cells, fmt.Sprintf(`{"id":"n%d","cell_type":"code","metadata":{},"execution_count":1,"source":"x","outputs":[{"output_type":"display_data","metadata":{},"data":{"image/png":%q}}]}`, i, noise))
	}
	noisy := p.good("read_nb_cells", dict{"path": file(c, cells...)})
	c.row("003.087", len(noisy.Raw) <= 1_000_000 && len(noisy.Images) > 0, len(noisy.Raw), noisy.Images)
	large := regexp.MustCompile(`jupyter://sessions/[^ "\\]+\.png`).FindString(noisy.Texts[0])
	whole := p.resource(large)
	c.row("003.088", len(text(whole.Result, "contents.0.blob")) > 100_000 && len(whole.Raw) <= 1_000_000, len(whole.Raw), large)
	helped := p.good("get_image_resource", dict{"resource_uri": large})
	c.row("003.089", len(helped.Raw) > 100_000 && len(helped.Raw) <= 1_000_000, len(helped.Raw))
}

// Seed 003: notebooks and files of a session.
func checkAnalysisFiles(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	name := strings.TrimSuffix(c.Server.Name(c, ".ipynb"), ".ipynb")
	p.good("notebook_create", dict{"session_id": session, "name": name, "cells": []dict{{"cell_type": "markdown", "source": "# First"}}})
	in := func(args dict) dict { args["session_id"], args["notebook_name"] = session, name; return args }
	sources := func() (all []string) {
		for _, cell := range list(p.good("notebook_get", in(dict{})).JSON, "cells") {
			all = append(all, text(cell, "source"))
		}
		return all
	}
	c.row("003.054", fmt.Sprint(sources()) == "[# First]" && eventually(func() bool { return strings.Contains(c.Server.Read(c, name+".ipynb"), "# First") }), sources())
	p.good("notebook_add_cell", in(dict{"cell_type": "code", "source": "print('two')"}))
	c.row("003.055", fmt.Sprint(sources()) == "[# First print('two')]", sources())
	p.good("notebook_add_cell", in(dict{"cell_type": "markdown", "source": "between", "position": 1}))
	c.row("003.056", fmt.Sprint(sources()) == "[# First between print('two')]", sources())
	p.good("notebook_edit_cell", in(dict{"cell_index": 1, "source": "edited"}))
	c.row("003.057", fmt.Sprint(sources()) == "[# First edited print('two')]", sources())
	p.good("notebook_move_cell", in(dict{"cell_index": 2, "position": 0}))
	c.row("003.058", fmt.Sprint(sources()) == "[print('two') # First edited]", sources())
	p.good("notebook_delete_cell", in(dict{"cell_index": 2}))
	c.row("003.059", fmt.Sprint(sources()) == "[print('two') # First]", sources())
	p.good("execute_nb_cells", dict{"path": name + ".ipynb", "ranges": []dict{{"start": 0, "end": 1}}})
	whole := p.good("notebook_get", in(dict{}))
	c.row("003.060", text(whole.JSON, "cells.0.outputs.0.text") == "two\n" && text(whole.JSON, "cells.1.source") == "# First", whole.Raw)
	other := c.Server.Notebook(c, "'another'")
	c.row("003.061", strings.Contains(p.good("notebook_get", dict{"session_id": session, "notebook_name": strings.TrimSuffix(other, ".ipynb")}).Raw, "'another'"))

	folder := "files of " + name
	c.Server.Write(c, folder+"/a.txt", "some words")
	c.Server.Write(c, folder+"/d.csv", "a,b\n1,2\n")
	c.Server.Write(c, folder+"/out.bin", "\x00\x01\x02\xff")
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Server.Root, folder, "out.png"), png, 0o600)
	}
	if err != nil {
		c.Fatal(err)
	}
	root := p.good("file_list", dict{"session_id": session})
	c.row("003.077", strings.Contains(root.Raw, name+".ipynb"), root.Raw)
	some := p.good("file_list", dict{"session_id": session, "path": folder})
	c.row("003.078", strings.Contains(some.Raw, "out.bin") && !strings.Contains(some.Raw, other), some.Raw)
	get := func(file string, more dict) answer {
		args := dict{"session_id": session, "path": folder + "/" + file}
		for k, v := range more {
			args[k] = v
		}
		return p.good("file_get", args)
	}
	words := p.good("file_read", dict{"session_id": session, "path": folder + "/a.txt"})
	c.row("003.079", strings.Contains(words.Raw, "some words"), words.Raw)
	c.row("003.080", fmt.Sprint(get("out.png", nil).Images) == "[image/png]", get("out.png", nil).Raw)
	c.row("003.081", text(get("d.csv", nil).JSON, "text") == "a,b\n1,2\n", get("d.csv", nil).Raw)
	c.row("003.082", strings.Contains(get("out.bin", nil).Raw, "jupyter://"), get("out.bin", nil).Raw)
	data := get("out.bin", dict{"include_data": true})
	c.row("003.083", strings.Contains(data.Raw, base64.StdEncoding.EncodeToString([]byte("\x00\x01\x02\xff"))), data.Raw)

	// An answer takes no longer than the server's own, and a tenth of a second.
	server := sessiontest.Server(c.T, c.Server)
	file := c.Server.Write(c, folder+"/b.md", "# b")
	own, ours := paired(func() {
		if _, err := server.Contents(c.Context(), jupyter.MustPath(file), jupyter.ContentsOptions{}); err != nil {
			c.Fatal(err)
		}
	}, func() { p.good("get_document_info", dict{"path": file}) })
	c.row("003.084", ours <= own+100*time.Millisecond, own, ours)
	_, ours = paired(func() {}, func() { p.good("execute_code", dict{"session_id": session, "code": "1"}) })
	c.row("003.085", ours <= 200*time.Millisecond, ours)
}

// paired is how long one thing takes, and another, in the middle of fifteen times each, one after the other.
func paired(one, other func()) (time.Duration, time.Duration) {
	var took [2][]time.Duration
	for range 15 {
		for i, f := range []func(){one, other} {
			began := time.Now()
			f()
			took[i] = append(took[i], time.Since(began))
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	return took[0][7], took[1][7]
}
