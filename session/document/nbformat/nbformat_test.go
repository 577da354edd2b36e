package nbformat

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

const whole = `{"cells":[
	{"id":"c0","cell_type":"code","source":["1\r\n","2"],"metadata":{"trusted":true,"a":1},"execution_count":3,"outputs":[
		{"output_type":"stream","name":"stdout","text":["x\n","y\n"]}]},
	{"id":"c1","cell_type":"markdown","source":"# T","metadata":{},"attachments":{"p.png":{"image/png":"AA=="}}}
],"metadata":{"k":1},"nbformat":4,"nbformat_minor":5}`

// A notebook is written as it was read, except that lines are joined and that trust stays with open tabs.
func TestParseAndContent(t *testing.T) {
	nb, err := Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(nb.Content())
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`["1\r\n","2"]`, `"1\n2"`, `"trusted":true,`, "", `["x\n","y\n"]`, `"x\ny\n"`).Replace(whole)
	want, err := Plain([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("written as\n%s, want\n%s", got, want)
	}
}

// A new notebook may be given as a list of cells, or left out; every cell gets an id.
func TestParseNew(t *testing.T) {
	for content, want := range map[string][]ydoc.Cell{
		" ": {{Type: ydoc.Code}},
		`[{"content":"1"},{"type":"markdown","content":"# T"},{"cell_type":"raw","source":"r","metadata":{}}]`: {
			{Type: ydoc.Code, Source: "1"}, {Type: ydoc.Markdown, Source: "# T"}, {Type: ydoc.Raw, Source: "r"},
		},
	} {
		nb, err := ParseNew(content)
		if err != nil || len(nb.Cells) != len(want) {
			t.Errorf("%s: %+v, %v", content, nb, err)
			continue
		}
		for i, c := range nb.Cells {
			test.Eq(t, want[i].Type, c.Type, test.Sprint(content))
			test.Eq(t, want[i].Source, c.Source, test.Sprint(content))
		}
		for _, c := range nb.Content()["cells"].([]any) {
			if id, _ := c.(map[string]any)["id"].(string); !ydoc.ValidID(id) {
				t.Errorf("%s: the id %q", content, id)
			}
		}
	}
}

// An error names the place of the mistake.
func TestParseRefuses(t *testing.T) {
	for from, c := range map[string]struct{ to, says string }{
		`{"cells"`:             {"{", "not valid JSON"},
		`"nbformat":4`:         {`"nbformat":3`, "nbformat 4"},
		`"id":"c1"`:            {`"id":"c0"`, "cells[1] has the id"},
		`"cell_type":"code"`:   {`"cell_type":"sql"`, "cells[0].cell_type"},
		`"execution_count":3`:  {`"execution_count":-3`, "cells[0].execution_count"},
		`"name":"stdout",`:     {"", "cells[0].outputs[0].name is missing"},
		`"source":"# T"`:       {`"source":1`, "cells[1].source is a number"},
		`"metadata":{"k":1},"`: {`"metadata":[],"`, "\"metadata\" is a list"},
	} {
		_, err := Parse(strings.Replace(whole, from, c.to, 1))
		must.Error(t, err, must.Sprint(from))
		test.StrContains(t, err.Error(), c.says, test.Sprint(from))
	}
}

// The file of a notebook outside a room is written as it was read: with its version, its trusted cells, and ids if the
// version has them. A cell without an id is the same cell in each replica of the file.
func TestReplicaAndFile(t *testing.T) {
	for _, file := range []string{whole, strings.NewReplacer(`"id":"c0",`, "", `"id":"c1",`, "", `"nbformat_minor":5`, `"nbformat_minor":4`).Replace(whole)} {
		nb, err := Replica([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(File(nb))
		if err != nil {
			t.Fatal(err)
		}
		var is, want any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(strings.NewReplacer(`["1\r\n","2"]`, `"1\n2"`, `["x\n","y\n"]`, `"x\ny\n"`).Replace(file)), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(is, want) {
			t.Errorf("written as\n%v, want\n%v", is, want)
		}
		again, err := Replica([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range nb.Cells() {
			other, _ := again.CellAt(i)
			test.True(t, ydoc.ValidID(c.ID), test.Sprint(i))
			test.Eq(t, c.ID, other.ID, test.Sprint(i))
		}
	}
}
