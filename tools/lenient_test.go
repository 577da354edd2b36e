package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Every tool accepts the unambiguous deviations that models make from a schema: null for a missing value, and texts for
// numbers, booleans, lists and objects. The cases follow from the tools' schemas.
func TestEveryToolUnderstands(t *testing.T) {
	cases := 0
	for _, d := range tools.Definitions() {
		check, err := d.Input.Compile(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		var in toolstest.Dict
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		full := whole(in, "", "a.ipynb").(toolstest.Dict)
		same := func(what string, given, meant toolstest.Dict) {
			cases++
			got, err := tool.Arguments(check, given)
			want, _ := tool.Arguments(check, meant)
			must.NoError(t, err, must.Sprint(d.Name, what, given))
			test.Eq(t, want, got, test.Sprint(d.Name, what, given))
		}
		required, _ := in["required"].([]any)
		for name, p := range in["properties"].(toolstest.Dict) {
			for what, text := range texts(p.(toolstest.Dict), full[name]) {
				same(name+" as "+what, toolstest.With(full, name, text), full)
			}
			if !slices.Contains(required, any(name)) {
				without := maps.Clone(full)
				delete(without, name)
				same(name+" is null", toolstest.With(full, name, nil), without)
			}
		}
		for _, size := range []string{"maxCellData", "maxCellOutputSize", "max_content"} {
			if full[size] == nil {
				continue
			}
			for _, other := range []string{"max_chars", "maxCellData", "maxCellOutputSize", "max_content"} {
				meant := maps.Clone(full)
				delete(meant, size)
				same(other+" for "+size, toolstest.With(meant, other, full[size]), full)
			}
		}
		if _, err := tool.Arguments(check, toolstest.With(full, "no_such_argument", 1.0)); err == nil {
			t.Errorf("%s takes an unknown argument", d.Name)
		} else {
			for name := range in["properties"].(toolstest.Dict) {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%s does not name %s: %v", d.Name, name, err)
				}
			}
		}
	}
	if cases < 400 {
		t.Errorf("only %d cases", cases)
	}
}

// whole returns a value that a schema allows, with all members.
func whole(s toolstest.Dict, name, path string) any {
	switch s["type"] {
	case "object":
		out := toolstest.Dict{}
		for k, p := range s["properties"].(toolstest.Dict) {
			out[k] = whole(p.(toolstest.Dict), k, path)
		}
		return out
	case "array":
		items := s["items"].(toolstest.Dict)
		return []any{whole(items, name, path)}
	case "integer", "number":
		low, _ := s["minimum"].(float64)
		return max(low, 1)
	}
	if either, ok := s["type"].([]any); ok { // or null
		return whole(toolstest.With(s, "type", either[0]), name, path)
	}
	return example(s, name, path)
}

// texts returns the forms in which a model may write a value as a text.
func texts(s toolstest.Dict, value any) map[string]string {
	kind := s["type"]
	if either, ok := kind.([]any); ok {
		kind = either[0]
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	switch kind {
	case "integer", "number":
		return map[string]string{"text": string(b), "a text with spaces": fmt.Sprintf(" %s ", b), "a decimal": string(b) + ".0"}
	case "boolean":
		return map[string]string{"text": string(b), "Python": strings.ToUpper(string(b[:1])) + string(b[1:])}
	case "array", "object":
		return map[string]string{"JSON text": string(b)}
	}
	return nil
}

// A whole call, as models write it.
func TestCallsWithTexts(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1", "y = 2")
		var out struct{ Cells []struct{ Source string } }
		r.Good("read_nb_cells", toolstest.Dict{"path": path, "ranges": `[{"start": "1", "end": null, "id": null}]`, "maxCellData": "3"}, &out)
		must.SliceLen(t, 1, out.Cells)
		test.StrContains(t, out.Cells[0].Source, "y")
		r.Good("read_nb_cells", toolstest.Dict{"path": path, "ranges": nil, "maxCellData": nil}, &out)
		if len(out.Cells) != 2 {
			t.Errorf("read %+v", out)
		}
		r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": "0", "cells": `[{"type": "code", "content": "z = 3"}]`, "exec": "False"}, nil)
		got := r.Sources(path)
		must.SliceLen(t, 3, got)
		test.Eq(t, "z = 3", got[0])
		r.Bad("read_nb_cells", toolstest.Dict{"path": path, "maxData": 5}, "maxCellData", "it takes path, ranges")
	})
}
