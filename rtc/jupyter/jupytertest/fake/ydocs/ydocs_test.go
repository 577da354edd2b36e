package ydocs

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/nbjson"
	"github.com/nbduet/nbduet/ydoc/crdt"
)

// read parses a notebook with these cells, each a JSON object.
func read(t *testing.T, minor string, cells ...string) map[string]any {
	t.Helper()
	nb, err := nbjson.Read([]byte(`{"nbformat": 4, "nbformat_minor": ` + minor + `, "metadata": {}, "cells": [` + strings.Join(cells, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

const (
	stream = `{"cell_type": "code", "id": "s", "source": "print(1)", "metadata": {"trusted": true}, "execution_count": 1,
		"outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n", "2"]}]}`
	rich = `{"cell_type": "code", "id": "r", "source": "2.5", "metadata": {"n": 2.5}, "execution_count": 2,
		"outputs": [{"output_type": "execute_result", "execution_count": 2, "data": {"text/plain": "2.5"}, "metadata": {}}]}`
	prose = `{"cell_type": "markdown", "id": "m", "source": "# Title", "metadata": {}, "attachments": {}}`
)

func set(t *testing.T, d *Document, content any) {
	t.Helper()
	if err := d.SetContent(content); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, d *Document) map[string]any {
	t.Helper()
	v, err := d.Content()
	if err != nil {
		t.Fatal(err)
	}
	nb, _ := v.(map[string]any)
	return nb
}

func cellsIn(t *testing.T, d *Document) string {
	t.Helper()
	b, err := json.Marshal(content(t, d)["cells"])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A document built from a file reads as the file, and gets the same history when it is built again.
func TestNotebookIsBuiltTheSame(t *testing.T) {
	nb := read(t, "5", stream, rich, prose)
	var whole [][]byte
	for range 2 {
		d := New("notebook", Options{Source: true})
		set(t, d, nb)
		u, err := d.Diff(nil)
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, u)
		got := content(t, d)
		if m := got["metadata"].(map[string]any); !reflect.DeepEqual(m, map[string]any{
			"language_info": map[string]any{"name": ""}, "kernelspec": map[string]any{"name": "", "display_name": ""},
		}) {
			t.Errorf("metadata: %v", m)
		}
		want := read(t, "5", stream, rich, prose)["cells"].([]any)
		delete(want[2].(map[string]any), "attachments")
		if !Equal(got["cells"], want) {
			t.Errorf("cells: %s", cellsIn(t, d))
		}
	}
	if !bytes.Equal(whole[0], whole[1]) {
		t.Error("the second history is another")
	}
	stepwise := New("notebook", Options{Source: true})
	for _, step := range stepwise.Steps(nb) {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	u, err := stepwise.Diff(nil)
	must.NoError(t, err)
	test.True(t, bytes.Equal(u, whole[0]))
}

func TestEmptyNotebookGetsACell(t *testing.T) {
	d := New("notebook", Options{})
	set(t, d, read(t, "5"))
	cells, _ := content(t, d)["cells"].([]any)
	if len(cells) != 1 {
		t.Fatalf("cells: %v", cells)
	}
	c := cells[0].(map[string]any)
	test.EqOp[any](t, "code", c["cell_type"])
	test.EqOp[any](t, "", c["source"])
	test.NotEqOp[any](t, "", c["id"])
	test.True(t, Equal(c["metadata"], map[string]any{"trusted": true}))
}

// Cells of an old notebook have ids in the room, but not in the file.
func TestOldNotebookHasNoIDsOnDisk(t *testing.T) {
	d := New("notebook", Options{})
	set(t, d, read(t, "4", `{"cell_type": "raw", "source": "x", "metadata": {}}`))
	if got := cellsIn(t, d); got != `[{"cell_type":"raw","metadata":{},"source":"x"}]` {
		t.Errorf("cells: %s", got)
	}
	if id, _ := d.body.(*notebook).cells.List()[0].(map[string]any)["id"].(string); len(id) != 36 {
		t.Errorf("the id is %q", id)
	}
}

// A changed file is written into the room: unchanged parts stay, and the state's other keys are removed.
func TestRewrite(t *testing.T) {
	d := New("notebook", Options{})
	set(t, d, read(t, "5", stream, rich, prose))
	for k, v := range map[string]any{"path": "a.ipynb", "hash": "abc", "dirty": true, "document_id": "x"} {
		if err := d.SetState(k, v); err != nil {
			t.Fatal(err)
		}
	}
	other := strings.Replace(prose, "# Title", "# Other", 1)
	quiet := strings.Replace(rich, `"2.5"`, `"3.5"`, 2)
	fresh := strings.Replace(prose, `"id": "m"`, `"id": "n"`, 1)
	for _, cells := range [][]string{
		{stream, rich, other}, {other, rich, stream}, {fresh, stream}, {quiet, fresh}, {stream, stream, rich}, {rich, quiet, prose}, {prose},
	} {
		nb := read(t, "5", cells...)
		set(t, d, nb)
		want := read(t, "5", cells...)["cells"].([]any)
		for _, v := range want {
			if c := v.(map[string]any); c["cell_type"] == "markdown" {
				delete(c, "attachments")
			}
		}
		ids := map[any]bool{}
		got := content(t, d)["cells"].([]any)
		for i, v := range got {
			c := v.(map[string]any)
			if ids[c["id"]] {
				t.Errorf("the id %v comes twice", c["id"])
			}
			ids[c["id"]] = true
			w := want[i].(map[string]any)
			w["id"] = c["id"] // nbjson gave the second of two a random one
			delete(w["metadata"].(map[string]any), "trusted")
			delete(c["metadata"].(map[string]any), "trusted")
		}
		if !Equal(got, want) {
			t.Errorf("after %v the cells are %v", cells, got)
		}
	}
	if got := d.State(); !reflect.DeepEqual(got, map[string]any{"path": "a.ipynb", "dirty": true, "document_id": "x"}) {
		t.Errorf("state: %v", got)
	}
}

func TestDuplicates(t *testing.T) {
	d := New("notebook", Options{})
	n := d.body.(*notebook)
	for i, source := range []string{"a", "a", "b"} {
		if err := d.transact("add", func(x *crdt.Tx) error {
			return n.writeCell(x, i, map[string]any{"cell_type": "raw", "id": "x", "source": source, "metadata": map[string]any{}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	got := content(t, d)["cells"].([]any)
	must.SliceLen(t, 2, got, must.Sprint("cells"))
	test.EqOp[any](t, "x", got[0].(map[string]any)["id"], test.Sprint("cells"))
	test.NotEqOp[any](t, "x", got[1].(map[string]any)["id"], test.Sprint("cells"))
	test.EqOp[any](t, "b", got[1].(map[string]any)["source"], test.Sprint("cells"))
	if again := content(t, d)["cells"]; !Equal(again, got) {
		t.Errorf("read again: %v, want %v", again, got)
	}
}

func TestMalformedCell(t *testing.T) {
	d := New("notebook", Options{})
	set(t, d, read(t, "5", prose))
	if err := d.transact("add", func(x *crdt.Tx) error {
		x.InsertValue(d.body.(*notebook).cells, 0, map[string]any{"id": "p"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Content(); err == nil {
		t.Errorf("read %v", v)
	}
}

func TestTexts(t *testing.T) {
	for _, typ := range []string{"file", "blob", "odd"} {
		d := New(typ, Options{})
		changes := 0
		d.replica.OnUpdate(func([]byte) { changes++ })
		for i, s := range []string{"one\ntwo\n", "one\n2\n", "é😀 quite another text", "", "x"} {
			set(t, d, s)
			set(t, d, s)
			got, err := d.Content()
			must.NoError(t, err, must.Sprint(typ))
			test.EqOp[any](t, s, got, test.Sprint(typ))
			test.Eq(t, i+1, changes, test.Sprint(typ))
		}
		if err := d.SetContent(map[string]any{}); err == nil {
			t.Errorf("%s: a notebook was taken", typ)
		}
	}
}

// The options' functions are called for writes, whether or not the document is read.
func TestOptions(t *testing.T) {
	source := New("notebook", Options{Source: true})
	set(t, source, read(t, "5", prose))
	u, err := source.Diff(nil)
	if err != nil {
		t.Fatal(err)
	}
	updates, changes := 0, 0
	o := Options{Update: func([]byte) { updates++ }, Changed: func() { changes++ }}
	for _, c := range []struct {
		d                *Document
		updates, changes int
	}{{New("notebook", o), 1, 1}, {NewTransient(o), 1, 0}} {
		updates, changes = 0, 0
		for range 2 {
			if err := c.d.Apply(u); err != nil {
				t.Fatal(err)
			}
		}
		test.Eq(t, c.updates, updates)
		test.Eq(t, c.changes, changes)
		id := c.d.ClientID()
		test.Greater(t, 1<<32, id)
		test.Less(t, 1<<53, id)
	}
}
