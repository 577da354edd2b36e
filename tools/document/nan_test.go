package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// notANumber is a notebook with numbers that JSON does not allow, as Python writes them.
const notANumber = `{
 "cells": [
  {"cell_type": "code", "id": "a1", "metadata": {}, "execution_count": 1, "outputs": [
   {"output_type": "display_data", "metadata": {}, "data": {"application/json": {"mean": NaN, "max": Infinity}}}],
   "source": "show()"},
  {"cell_type": "code", "id": "a2", "metadata": {"papermill": {"duration": NaN}}, "execution_count": null, "outputs": [], "source": "x = 1"}
 ],
 "metadata": {"least": -Infinity}, "nbformat": 4, "nbformat_minor": 5
}
`

// A notebook with NaN and Infinity opens, shows them, and keeps them through every kind of edit.
func TestNotebookWithNaN(t *testing.T) {
	const changed = "x = 22"
	for name, edit := range map[string]func(r *toolstest.Rig, path, was string){
		"a cell in the room": func(r *toolstest.Rig, path, _ string) {
			r.Read(path)
			r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "x = 1", "new_text": changed}, nil)
		},
		"a move of the cell": func(r *toolstest.Rig, path, _ string) {
			r.Read(path)
			r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "x = 1", "new_text": changed}, nil)
			r.Good("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}, "position": 0}, nil)
		},
		"all of an open notebook": func(r *toolstest.Rig, path, was string) {
			r.Read(path)
			r.Good("overwrite_document", toolstest.Dict{"path": path, "content": strings.Replace(was, "x = 1", changed, 1), "force": true}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notANumber)
				was := r.Content(path).Content
				for _, want := range []string{`"mean": NaN`, `"max": Infinity`, `"duration": NaN`, `"least": -Infinity`} {
					test.StrContains(t, was, want)
				}
				edit(r, path, was)
				time.Sleep(3 * time.Second)
				now := r.Server.Read(t, path)
				test.StrNotContains(t, now, changed) // jupyter_ydoc 4.2.1 cannot save such a room
				for _, want := range []string{`"mean": NaN`, `"max": Infinity`, `"duration": NaN`, `"least": -Infinity`} {
					test.StrContains(t, now, want)
				}
				var content document.ContentResult
				test.StrContains(t, toolstest.MessageOf(r.Good("get_nb_stat", toolstest.Dict{"path": path}, nil)), "NaN or Infinity")
				r.Good("get_document_content", toolstest.Dict{"path": path}, &content)
				test.StrContains(t, toolstest.MessageOf(r.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)), "NaN")
				test.StrContains(t, content.Content, changed)
				test.StrContains(t, content.Content, `"duration": NaN`)
			})
		})
	}
}

// A notebook that is not open is written through its file, and keeps NaN there.
func TestFileWithNaNIsOverwritten(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), notANumber)
		r.Good("overwrite_document", toolstest.Dict{"path": path, "content": strings.Replace(notANumber, "x = 1", "x = 22", 1), "force": true}, nil)
		for _, want := range []string{"x = 22", `"mean": NaN`, `"max": Infinity`, `"duration": NaN`, `"least": -Infinity`} {
			test.StrContains(t, r.Server.Read(t, path), want)
		}
	})
}
