package pair_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// "theirs" is accepted in place of any id.
func TestTheirs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a", "b", "c", "d")
		theirs := []dict{{"id": "theirs"}}
		d.Bad("read_nb_cells", d.in(dict{"ranges": theirs}), `"theirs"`, "not known yet")
		ada := d.enters("ada", "Ada")
		ada.selects("c2", 0, 1)
		d.Bad("read_nb_cells", d.in(dict{"ranges": theirs}), "not known yet", `give person "ada"`)
		d.known(ada)
		var read notebook.ReadResult
		d.Good("read_nb_cells", d.in(dict{"ranges": theirs}), &read)
		must.SliceLen(t, 1, read.Cells)
		test.Eq(t, "c2", read.Cells[0].ID)
		d.Bad("modify_nb_cells", d.in(dict{"modifications": []dict{{"range": dict{"id": "theirs"}, "content": "x"}}, "person": "bob", "exec": false}), "does not match anyone", "Ada (ada)")
		d.Good("modify_nb_cells", d.in(dict{"modifications": []dict{{"range": dict{"id": "theirs"}, "content": "cc"}}, "exec": false}), nil)
		d.Good("edit_text", d.in(dict{"cell_id": "theirs", "old_text": "cc", "new_text": "c2"}), nil)
		d.Good("insert_nb_cells", d.in(dict{"after_id": "theirs", "cells": []dict{{"content": "new"}}, "exec": false}), nil)
		d.Good("execute_nb_cells", d.in(dict{"ranges": theirs}), nil)
		d.Good("read_cell", dict{"notebook_name": d.path, "cell_id": "theirs", "person": "A"}, nil)
		bob := d.enters("bob", "Bob")
		bob.selects("c0", 0, 0)
		d.Bad("delete_nb_cells", d.in(dict{"ranges": theirs}), "several people", "Ada (ada), Bob (bob)")
		d.Bad("delete_nb_cells", d.in(dict{"ranges": theirs, "person": "B"}), "was never shown to you") // still protected
		d.known(ada, bob)
		d.Good("read_nb_cells", d.in(dict{"ranges": theirs, "person": "B"}), nil)
		d.Good("delete_nb_cells", d.in(dict{"ranges": theirs, "person": "B"}), nil)
		d.Good("move_nb_cells", d.in(dict{"ranges": theirs, "person": "ada", "position": 0}), nil)
		got := d.Sources(d.path)
		must.SliceLen(t, 4, got)
		test.Eq(t, "c2", got[0])
		d.Bad("look_around", dict{"person": "ada"}, "no argument") // it takes no id
	})
}

// A cell with that id takes precedence.
func TestACellCalledTheirs(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Name(t, ".ipynb")
		r.Server.Write(t, path, `{"cells":[{"id":"theirs","cell_type":"code","source":"x","metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
		var read notebook.ReadResult
		r.Good("read_nb_cells", dict{"path": path, "ranges": []dict{{"id": "theirs"}}}, &read)
		must.SliceLen(t, 1, read.Cells)
		test.Eq(t, "theirs", read.Cells[0].ID)
	})
}
