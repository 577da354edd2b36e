package pair_test

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// "theirs" is taken wherever an id is.
func TestTheirs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		p := pairOn(t, "a", "b", "c", "d")
		theirs := []dict{{"id": "theirs"}}
		in := func(more dict) dict {
			out := dict{"path": p.path}
			for k, v := range more {
				out[k] = v
			}
			return out
		}
		p.Bad("read_nb_cells", in(dict{"ranges": theirs}), `"theirs"`, "not known yet")
		ada := p.enters("ada", "Ada")
		ada.selects("c2", 0, 1)
		p.Bad("read_nb_cells", in(dict{"ranges": theirs}), "not known yet", `give person "ada"`)
		p.known(ada)
		var read notebook.ReadResult
		p.Good("read_nb_cells", in(dict{"ranges": theirs}), &read)
		if len(read.Cells) != 1 || read.Cells[0].ID != "c2" {
			t.Errorf("%+v", read)
		}
		p.Bad("modify_nb_cells", in(dict{"modifications": []dict{{"range": dict{"id": "theirs"}, "content": "x"}}, "person": "bob", "exec": false}), "fits nobody", "Ada (ada)")
		p.Good("modify_nb_cells", in(dict{"modifications": []dict{{"range": dict{"id": "theirs"}, "content": "cc"}}, "exec": false}), nil)
		p.Good("edit_text", in(dict{"cell_id": "theirs", "old_text": "cc", "new_text": "c2"}), nil)
		p.Good("insert_nb_cells", in(dict{"after_id": "theirs", "cells": []dict{{"content": "new"}}, "exec": false}), nil)
		p.Good("execute_nb_cells", in(dict{"ranges": theirs}), nil)
		p.Good("read_cell", dict{"notebook_name": p.path, "cell_id": "theirs", "person": "A"}, nil)
		bob := p.enters("bob", "Bob")
		bob.selects("c0", 0, 0)
		p.Bad("delete_nb_cells", in(dict{"ranges": theirs}), "several people", "Ada (ada), Bob (bob)")
		p.Bad("delete_nb_cells", in(dict{"ranges": theirs, "person": "B"}), "was never shown to you") // the protections stay
		p.known(ada, bob)
		p.Good("delete_nb_cells", in(dict{"ranges": theirs, "person": "B"}), nil)
		p.Good("move_nb_cells", in(dict{"ranges": theirs, "person": "ada", "position": 0}), nil)
		if got := p.Sources(p.path); len(got) != 4 || got[0] != "c2" {
			t.Errorf("%q", got)
		}
		p.Bad("look_around", dict{"person": "ada"}, "no argument") // it takes no id
	})
}

// A cell with that id wins.
func TestACellCalledTheirs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Name(t, ".ipynb")
		r.Server.Write(t, path, `{"cells":[{"id":"theirs","cell_type":"code","source":"x","metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
		var read notebook.ReadResult
		r.Good("read_nb_cells", dict{"path": path, "ranges": []dict{{"id": "theirs"}}}, &read)
		if len(read.Cells) != 1 || read.Cells[0].ID != "theirs" {
			t.Errorf("%+v", read)
		}
	})
}
