package tools_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	plain0 "github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/tools/tool/plaintext/plaintest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A talk is a client of a server with default settings, which answers in words.
type talk struct {
	*toolstest.Rig
	client *client.Client
}

// newTalk makes a talk.
func newTalk(t *testing.T) *talk {
	t.Helper()
	r := toolstest.New(t)
	m := &talk{r, r.Connect(tools.Config{Work: r.Work, Activity: r.Record})}
	t.Cleanup(func() {
		if err := m.client.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// result returns the result of a call.
func (m *talk) result(name string, args toolstest.Dict) *mcp.CallToolResult {
	m.T.Helper()
	res := m.CallAs(m.client, name, args)
	if res.IsError {
		m.T.Fatalf("%s: %s", name, toolstest.MessageOf(res))
	}
	return res
}

// says returns the text of an answer.
func (m *talk) says(name string, args toolstest.Dict) string {
	m.T.Helper()
	return toolstest.MessageOf(m.result(name, args))
}

// refuses returns the text of a refusal.
func (m *talk) refuses(name string, args toolstest.Dict) string {
	m.T.Helper()
	res := m.CallAs(m.client, name, args)
	if !res.IsError {
		m.T.Fatalf("%s accepts %v: %s", name, args, toolstest.MessageOf(res))
	}
	return toolstest.MessageOf(res)
}

// cells returns the cells that read_nb_cells shows, read to the end, and the number of answers.
func (m *talk) cells(args toolstest.Dict) (all []plaintest.Cell, answers int) {
	m.T.Helper()
	for {
		cells, next, err := plaintest.Cells(m.says("read_nb_cells", args))
		if err != nil {
			m.T.Fatal(err)
		}
		all, answers = append(all, cells...), answers+1
		if next == "" {
			return all, answers
		}
		args = toolstest.With(args, "cursor", next)
		delete(args, "ranges")
	}
}

// there returns the notebook's cells in the shared document.
func (m *talk) there(path string) []ydoc.Cell {
	m.T.Helper()
	doc, err := m.Work.Open(m.T.Context(), jupyter.MustPath(path))
	if err != nil {
		m.T.Fatal(err)
	}
	defer doc.Release()
	return doc.Notebook().Cells()
}

// code returns a code cell of a notebook's file.
func code(id, source string, outputs ...toolstest.Dict) toolstest.Dict {
	if outputs == nil {
		outputs = []toolstest.Dict{}
	}
	return toolstest.Dict{"id": id, "cell_type": "code", "source": source, "metadata": toolstest.Dict{}, "execution_count": nil, "outputs": outputs}
}

// printed returns an output of text in a notebook's file.
func printed(text string) toolstest.Dict {
	return toolstest.Dict{"output_type": "stream", "name": "stdout", "text": text}
}

// book writes a notebook.
func (m *talk) book(cells ...toolstest.Dict) (path string) {
	m.T.Helper()
	b, err := json.Marshal(toolstest.Dict{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": toolstest.Dict{"kernelspec": toolstest.Dict{"name": "python3", "display_name": "Python 3"}},
	})
	if err != nil {
		m.T.Fatal(err)
	}
	return m.Server.Write(m.T, m.Server.Name(m.T, ".ipynb"), string(b))
}

// hostileSources returns texts made of pieces that look like parts of an answer.
func hostileSources(n int) (out []string) {
	pieces := plaintest.Hostile()
	out = append(out, "", "\n", "\n\n\n", "x", "x\n", "x\n\n", "\nx")
	for _, p := range pieces {
		out = append(out, p, "x\n"+p, p+"\n")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range n {
		source := ""
		for range random.IntN(9) {
			source += pieces[random.IntN(len(pieces))]
		}
		out = append(out, source)
	}
	return out
}

// The answer of read_nb_cells can be parsed by its rule alone into the existing cells, each with its index, its id and its
// exact source, whatever the sources and the outputs contain.
func TestWordsAreReadBack(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		var cells []toolstest.Dict
		for i, s := range hostileSources(200) {
			cells = append(cells, code(fmt.Sprintf("%04x", 0xa000+i), s, printed(s)))
		}
		path := m.book(cells...)
		there := m.there(path)
		got, _ := m.cells(toolstest.Dict{"path": path})
		if len(got) != len(there) {
			t.Fatalf("%d cells of %d", len(got), len(there))
		}
		for i, c := range got {
			test.Eq(t, i, c.Index)
			test.Eq(t, there[i].ID, c.ID)
			test.Eq(t, there[i].Source, c.Source)
			if hidden := strings.Contains(c.Says, "with hidden characters"); hidden != plain0.Hides(c.Source) {
				t.Errorf("%q: the head line says of hidden characters: %v", c.Source, hidden)
			}
		}
	})
}

// Each cell alone can be parsed too: the mark is chosen for the content of the answer.
func TestWordsOfOneCell(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		sources := hostileSources(20)
		var cells []toolstest.Dict
		for i, s := range sources {
			cells = append(cells, code(fmt.Sprintf("%04x", 0xa000+i), s, printed(s)))
		}
		path := m.book(cells...)
		for i, c := range m.there(path) {
			got, _ := m.cells(toolstest.Dict{"path": path, "ranges": atCell(i)})
			must.SliceLen(t, 1, got)
			test.Eq(t, i, got[0].Index)
			test.Eq(t, c.Source, got[0].Source)
		}
	})
}

// A notebook of a thousand cells is read to its end, each cell once.
func TestWordsOfManyCells(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		var cells []toolstest.Dict
		for i := range 1000 {
			cells = append(cells, code(fmt.Sprintf("id-%d", i), fmt.Sprintf("x = %d\n%s", i, strings.Repeat("# as long as sources are\n", 40)), printed(strings.Repeat("and what it put out\n", 50))))
		}
		path := m.book(cells...)
		got, answers := m.cells(toolstest.Dict{"path": path})
		if answers < 2 {
			t.Errorf("%d answers: the test is of nothing", answers)
		}
		var indexes []int
		for _, c := range got {
			indexes = append(indexes, c.Index)
			if !strings.HasPrefix(c.Source, fmt.Sprintf("x = %d\n", c.Index)) {
				t.Errorf("cell %d is %.20q", c.Index, c.Source)
			}
		}
		must.SliceLen(t, 1000, indexes)
		test.True(t, slices.IsSorted(indexes))
		test.SliceLen(t, 1000, slices.Compact(indexes))
	})
}

// However similar the ids of cells are, the shown part of each names that cell and no other: to change it, to run it and to
// delete it, even after others were deleted.
func TestWordsNameTheRightCell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		m := newTalk(t)
		var cells []toolstest.Dict
		for i := 1; i <= 12; i++ {
			cells = append(cells, code(fmt.Sprintf("cell-%d", i), fmt.Sprintf("print('of cell-%d')", i)))
		}
		for i := range 6 {
			id := fmt.Sprintf("0f8fad5b-d9cb-469f-a165-708677%06x", i*0x111)
			cells = append(cells, code(id, fmt.Sprintf("print('of %s')", id)))
		}
		path := m.book(cells...)
		read, _ := m.cells(toolstest.Dict{"path": path})
		there := m.there(path)
		if len(read) != len(there) {
			t.Fatalf("%d cells of %d", len(read), len(there))
		}
		for i, c := range read {
			m.says("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": c.ID}, "content": c.Source + " # seen"}}})
			if got := m.there(path)[i].Source; got != there[i].Source+" # seen" {
				t.Errorf("%s changed another cell than %s, which is %q", c.ID, there[i].ID, got)
			}
		}
		for i, c := range read {
			ran := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": c.ID}}})
			if !strings.Contains(ran, "of "+there[i].ID+"\n") && !strings.HasSuffix(ran, "of "+there[i].ID) {
				t.Errorf("%s ran another cell than %s: %s", c.ID, there[i].ID, ran)
			}
		}
		order := rand.New(rand.NewPCG(5, 6)).Perm(len(read))
		for n, i := range order {
			m.says("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": read[i].ID}}})
			left := m.there(path)
			test.False(t, slices.ContainsFunc(left, func(c ydoc.Cell) bool { return c.ID == there[i].ID }))
			test.False(t, n+1 < len(order) && len(left) != len(order)-n-1)
		}
	})
}

// Ids that nbformat does not allow are shown in a form that calls accept.
func TestWordsOfOddIDs(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		ids := []string{"a b [7] markdown", "x\n@@9 zzzz", "zw\u200bj", "bi\u202edi", `q"uote`, "c,omma", "back\\slash", "plain-1"}
		var cells []toolstest.Dict
		for i, id := range ids {
			cells = append(cells, code(id, fmt.Sprintf("x = %d", i)))
		}
		path := m.book(cells...)
		read, _ := m.cells(toolstest.Dict{"path": path})
		if len(read) != len(ids) {
			t.Fatalf("%+v", read)
		}
		for i, c := range read {
			again, _ := m.cells(toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": c.ID}}})
			test.StrHasPrefix(t, c.ID, ids[i])
			test.Eq(t, fmt.Sprintf("x = %d", i), c.Source)
			must.SliceLen(t, 1, again)
			test.Eq(t, i, again[0].Index)
		}
		moved := m.says("move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0, "end": 3}}, "position": 8})
		test.StrHasPrefix(t, `moved 5-7 "a b " "x\n@@" "zw\u200bj"; revision `, moved)
	})
}
