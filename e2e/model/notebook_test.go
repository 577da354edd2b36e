package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// cell is a cell of the model.
type cell struct {
	ID     string `json:"id"`
	Type   string `json:"cell_type"`
	Source string `json:"source"`
}

// notebook is the model of a notebook.
type notebook struct {
	*caller
	path string
	now  []cell
}

var cellType = rapid.SampledFrom([]string{"code", "markdown"})

// inFile returns the JSON of a notebook with these cells.
func inFile(cells []cell) string {
	list := []dict{}
	for _, c := range cells {
		d := dict{"cell_type": c.Type, "source": c.Source, "metadata": dict{}}
		if c.ID != "" {
			d["id"] = c.ID
		}
		if c.Type == "code" {
			d["outputs"], d["execution_count"] = []any{}, nil
		}
		list = append(list, d)
	}
	b, err := json.Marshal(dict{"nbformat": 4, "nbformat_minor": 5, "metadata": dict{}, "cells": list})
	if err != nil {
		panic(err) // plain values
	}
	return string(b)
}

// read returns the notebook's cells from the tools.
func (m *notebook) read(t *rapid.T) []cell {
	t.Helper()
	var got struct {
		Cells []cell `json:"cells"`
	}
	m.do(t, "read_nb_cells", dict{"path": m.path}, &got)
	return got.Cells
}

// adopt copies the ids of new cells into the model.
func (m *notebook) adopt(got []cell) {
	for i := range min(len(got), len(m.now)) {
		if m.now[i].ID == "" {
			m.now[i].ID = got[i].ID
		}
	}
}

// spans draws ranges of cells, which may overlap and be unordered, and returns their indexes.
func (m *notebook) spans(t *rapid.T) (ranges []dict, named map[int]bool) {
	named = map[int]bool{}
	for range rapid.IntRange(1, 3).Draw(t, "ranges") {
		from := rapid.IntRange(0, len(m.now)-1).Draw(t, "start")
		switch rapid.SampledFrom([]string{"one", "many", "id"}).Draw(t, "kind") {
		case "id":
			ranges = append(ranges, dict{"id": m.now[from].ID})
			named[from] = true
		case "one":
			ranges = append(ranges, dict{"start": from})
			named[from] = true
		default:
			to := rapid.IntRange(from+1, len(m.now)).Draw(t, "end")
			ranges = append(ranges, dict{"start": from, "end": to})
			for i := from; i < to; i++ {
				named[i] = true
			}
		}
	}
	return ranges, named
}

func TestNotebookAgainstModel(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	base := c.server.Name(t, "")
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := &notebook{caller: c, path: fmt.Sprintf("%s-%d 日.ipynb", base, n)}
		for i := range rapid.IntRange(1, 4).Draw(t, "cells") {
			m.now = append(m.now, cell{fmt.Sprintf("c%d", i), cellType.Draw(t, "type"), stored(someText(t, "source"))})
		}
		m.do(t, "create_document", dict{"path": m.path, "content": inFile(m.now)}, nil)
		files := 0
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				at := rapid.IntRange(0, len(m.now)).Draw(t, "position")
				var cells []dict
				var made []cell
				for range rapid.IntRange(1, 3).Draw(t, "new cells") {
					kind, source := cellType.Draw(t, "type"), someText(t, "source")
					cells = append(cells, dict{"type": kind, "content": source})
					made = append(made, cell{"", kind, stored(source)})
				}
				args := dict{"path": m.path, "cells": cells, "exec": false}
				if at > 0 && rapid.Bool().Draw(t, "by id") {
					args["after_id"] = m.now[at-1].ID
				} else {
					args["position"] = at
				}
				var got struct {
					IDs []string `json:"cell_ids"`
				}
				m.do(t, "insert_nb_cells", args, &got)
				for i := range made {
					made[i].ID = got.IDs[i]
				}
				m.now = slices.Insert(m.now, at, made...)
			},
			"modify": func(t *rapid.T) {
				from := rapid.IntRange(0, len(m.now)-1).Draw(t, "start")
				to := rapid.IntRange(from+1, len(m.now)).Draw(t, "end")
				source := someText(t, "source")
				m.do(t, "modify_nb_cells", dict{"path": m.path, "exec": false, "modifications": []dict{
					{"range": dict{"start": from, "end": to}, "content": source},
				}}, nil)
				for i := from; i < to; i++ {
					m.now[i].Source = stored(source)
				}
			},
			"delete": func(t *rapid.T) {
				ranges, named := m.spans(t)
				var got struct {
					Deleted int `json:"deleted_cells"`
				}
				m.do(t, "delete_nb_cells", dict{"path": m.path, "ranges": ranges}, &got)
				if got.Deleted != len(named) {
					t.Fatalf("deleted %d, want %d", got.Deleted, len(named))
				}
				var rest []cell
				for i, c := range m.now {
					if !named[i] {
						rest = append(rest, c)
					}
				}
				if m.now = rest; len(rest) == 0 {
					m.now = []cell{{Type: "code"}}
				}
			},
			// It moves, changes, inserts and deletes cells in one call.
			"overwrite": func(t *rapid.T) {
				m.read(t) // makes all cells known
				next := rapid.Permutation(m.now).Draw(t, "order")
				next = next[:rapid.IntRange(0, len(next)).Draw(t, "kept")]
				for i := range next {
					switch rapid.IntRange(0, 3).Draw(t, "change") {
					case 0:
						next[i].Source = stored(someText(t, "source"))
					case 1:
						next[i].Type = cellType.Draw(t, "type")
					}
				}
				if rapid.Bool().Draw(t, "new") || len(next) == 0 {
					at := rapid.IntRange(0, len(next)).Draw(t, "position")
					next = slices.Insert(next, at, cell{"", cellType.Draw(t, "type"), "new " + stored(someText(t, "source"))})
				}
				m.do(t, "overwrite_document", dict{"path": m.path, "content": inFile(next)}, nil)
				m.now = next
			},
			"out of range": func(t *rapid.T) {
				over := len(m.now) + rapid.IntRange(0, 3).Draw(t, "over")
				m.refuse(t, "delete_nb_cells", dict{"path": m.path, "ranges": []dict{{"start": 0}, {"start": over}}})
				m.refuse(t, "insert_nb_cells", dict{"path": m.path, "position": over + 1, "exec": false, "cells": []dict{{"content": "x"}}})
				m.refuse(t, "modify_nb_cells", dict{"path": m.path, "exec": false, "modifications": []dict{
					{"range": dict{"start": 0}, "content": "x"}, {"range": dict{"start": over}, "content": "x"},
				}})
				m.refuse(t, "overwrite_document", dict{"path": m.path, "content": "{"})
			},
			// Slow actions are less frequent.
			"file": func(t *rapid.T) {
				files++
				switch rapid.SampledFrom([]string{"end the session", "rename", "copy"}).Draw(t, "what") {
				case "end the session":
					m.do(t, "end_nb_session", dict{"path": m.path}, nil)
				case "rename":
					to := fmt.Sprintf("%s-%d-%d 😀.ipynb", base, n, files)
					m.do(t, "rename_document", dict{"path": m.path, "newPath": to}, nil)
					m.path = to
				case "copy":
					to := fmt.Sprintf("%s-%d-%d copy.ipynb", base, n, files)
					m.do(t, "copy_document", dict{"path": m.path, "copyPath": to}, nil)
					if err := m.onDisk(to); err != nil {
						t.Fatalf("the copy: %v", err)
					}
					m.do(t, "delete_document", dict{"path": to}, nil)
				}
			},
			"": func(t *rapid.T) {
				// After a rename the server may read the file again; a read of the room may come in the middle of that.
				if err := poll.Until(c.ctx, "the cells to be those of the model", func(context.Context) error {
					got := m.read(t)
					m.adopt(got)
					if !slices.Equal(got, m.now) {
						return fmt.Errorf("it reads\n%q, want\n%q", got, m.now)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			},
		})
		if err := poll.Until(c.ctx, "the file to hold all", func(context.Context) error { return m.onDisk(m.path) }); err != nil {
			t.Fatal(err)
		}
	})
}

// onDisk returns an error if a file differs from the model.
func (m *notebook) onDisk(path string) error {
	cells, err := nbfile.Read(m.server.Root + "/" + path)
	if err != nil {
		return err
	}
	var got []cell
	for _, c := range cells {
		got = append(got, cell{c.ID, c.Type, string(c.Source)})
	}
	if !slices.Equal(got, m.now) {
		return fmt.Errorf("%q, want %q", got, m.now)
	}
	return nil
}
