package toolstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
)

// OnDisk waits until the file holds the sources, as the server's autosave writes them.
func (r *Rig) OnDisk(path string, want ...string) {
	r.T.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var nb struct {
			Cells []struct{ Source any } `json:"cells"`
		}
		if err := json.Unmarshal([]byte(r.Server.Read(r.T, path)), &nb); err == nil {
			got = nil
			for _, c := range nb.Cells {
				got = append(got, render.JoinText(c.Source))
			}
			if slices.Equal(got, want) {
				return
			}
		}
	}
	r.T.Errorf("the file holds %q, want %q", got, want)
}

// Await waits for the first cell's source in r's own replica, without showing anything to r's client.
func (r *Rig) Await(path, want string) {
	r.T.Helper()
	doc, err := r.Work.Open(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	var got string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if c, ok := doc.Notebook().CellAt(0); ok {
			if got = c.Source; got == want {
				return
			}
		}
	}
	r.T.Fatalf("the first cell is %q, want %q", got, want)
}

// UpToDate waits until r's replica has the current state of the room.
func (r *Rig) UpToDate(path string) {
	r.T.Helper()
	doc, err := r.Work.Open(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	if err := doc.Settled(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

// Pages reads an output of a run to its end.
func (r *Rig) Pages(run string, output, size int) (all string, pages int) {
	r.T.Helper()
	var text strings.Builder
	for offset := 0; ; pages++ {
		var view notebook.PagedRun
		r.Good("get_run", Dict{"run_id": run, "output": output, "offset": offset, "maxCellOutputSize": size}, &view)
		p := view.Page
		if p == nil || p.Offset != offset || p.Output != output || len(view.Outputs) != 0 || view.Truncated != (p.Next != nil) || view.OriginalSize != p.Length {
			r.T.Fatalf("the page at %d is %+v of %+v", offset, p, view)
		}
		text.WriteString(p.Text)
		if p.Next == nil {
			return text.String(), pages + 1
		}
		if *p.Next <= offset || *p.Next > offset+size {
			r.T.Fatalf("after %d comes %d", offset, *p.Next)
		}
		offset = *p.Next
	}
}

// OutputText returns the text of a cell's streams in the shared document.
func (r *Rig) OutputText(path string, cell int) string {
	r.T.Helper()
	doc, err := r.Work.Open(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	var all strings.Builder
	for _, o := range doc.Notebook().Cells()[cell].Outputs {
		s, _ := o["text"].(string)
		all.WriteString(s)
	}
	return all.String()
}

// Gated returns code that prints, waits for a file, and prints again.
func Gated(gate string) string {
	return fmt.Sprintf("import os, time\nprint('waiting')\nwhile not os.path.exists(%q): time.sleep(0.02)\nprint('done')", gate)
}

// CallsOfTheServer returns calls that the Jupyter server has to answer, by their tools.
func CallsOfTheServer(path string) map[string]Dict {
	return map[string]Dict{
		"list_nbs":         {},
		"get_nb_stat":      {"path": path},
		"read_nb_cells":    {"path": path},
		"insert_nb_cells":  {"path": path, "position": 0, "cells": []Dict{{"content": "1"}}},
		"modify_nb_cells":  {"path": path, "modifications": []Dict{{"range": Dict{"start": 0}, "content": "1"}}},
		"delete_nb_cells":  {"path": path, "ranges": []Dict{{"start": 0}}},
		"execute_nb_cells": {"path": path, "ranges": []Dict{{"start": 0}}},
	}
}

// CallsOfOurs makes calls that are answered in any state of the server.
func (r *Rig) CallsOfOurs() {
	r.T.Helper()
	r.Good("get_base_url", nil, nil)
	r.Good("nb_path_from_url", Dict{"url": r.Server.URL + "/tree/a.ipynb"}, nil)
	r.Good("query_nb_sessions", nil, nil)
	r.Good("end_nb_session", Dict{"path": "a.ipynb"}, nil)
}
