package seeds

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/sessiontest"
)

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

	// An answer takes at most a tenth of a second longer than the server's own.
	server := sessiontest.Server(c.T, c.Server)
	file := c.Server.Write(c, folder+"/b.md", "# b")
	own, ours := paired(func() {
		if _, err := server.Contents.Get(c.Context(), jupyter.MustPath(file), jupyter.ContentsOptions{}); err != nil {
			c.Fatal(err)
		}
	}, func() { p.good("get_document_info", dict{"path": file}) })
	c.row("003.084", ours <= own+100*time.Millisecond, own, ours)
	_, ours = paired(func() {}, func() { p.good("execute_code", dict{"session_id": session, "code": "1"}) })
	c.row("003.085", ours <= 200*time.Millisecond, ours)
}

// paired returns the median times of two functions that are called fifteen times each, in turns.
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
