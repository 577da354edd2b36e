package notebook_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// The answers about a notebook whose room is incomplete say that they show the file, and edits are refused with advice.
func TestDamagedRoom(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "first", "second")
		before := r.Server.Read(t, path)
		r.Server.Fake.Rooms.Gap(path, true)
		var read struct {
			notebook.ReadResult
			Away string `json:"server_away"`
		}
		r.Good("read_nb_cells", toolstest.Dict{"path": path}, &read)
		test.Eq(t, 2, read.CellCount)
		test.Eq(t, "second", read.Cells[1].Source)
		test.StrContains(t, read.Away, "damaged")
		test.StrContains(t, read.Away, "this is its file as of")
		r.Bad("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "1"}}}, "not made", "damaged", "copy of the file")
		r.Bad("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, "damaged")
		if r.Server.Read(t, path) != before {
			t.Error("the file was written")
		}
	})
}
