package nbjson

import (
	"os"
	"reflect"
	"testing"

	"github.com/shoenig/test"
)

// The files in testdata were written by nbformat 5.11.
func TestWriteAsNbformatDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/written.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"raw.ipynb", "written.ipynb"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		nb, err := Read(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := clone(nb)
		got, err := Write(nb)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if string(got) != string(want) {
			t.Errorf("%s becomes\n%s\nwant\n%s", name, got, want)
		}
		if !reflect.DeepEqual(before, any(nb)) {
			t.Errorf("%s: writing changed the notebook", name)
		}
	}
}

func TestFloats(t *testing.T) {
	for f, want := range map[float64]string{
		0.1: "0.1", 1.5: "1.5", 1e16: "1e+16", 1.5e-5: "1.5e-05", 1e-4: "0.0001", 1e22: "1e+22", 123456789012345680: "1.2345678901234568e+17",
		2.5e15: "2500000000000000.0", 1.7976931348623157e308: "1.7976931348623157e+308",
	} {
		if got := float(f); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	for name, file := range map[string]string{
		"empty": "", "text": "hello", "a list": "[]", "two": "{} {}", "version 3": `{"nbformat": 3, "worksheets": []}`,
		"no cells": `{"nbformat": 4, "metadata": {}}`, "no metadata": `{"nbformat": 4, "cells": []}`,
		"a cell without metadata": `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "raw", "source": ""}]}`,
		"not UTF-8":               "{\"nbformat\": 4, \"cells\": [], \"metadata\": {\"a\": \"\xff\"}}",
	} {
		if nb, err := Read([]byte(file)); err == nil {
			t.Errorf("%s reads as %v", name, nb)
		}
	}
}

func TestUnwritable(t *testing.T) {
	cell := func(c map[string]any) map[string]any {
		return map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{c}}
	}
	for name, nb := range map[string]map[string]any{
		"no metadata": cell(map[string]any{"cell_type": "markdown", "source": ""}),
		"no outputs":  cell(map[string]any{"cell_type": "code", "source": "", "metadata": map[string]any{}}),
		"no type":     cell(map[string]any{"source": "", "metadata": map[string]any{}}),
		"a stream without text": cell(map[string]any{
			"cell_type": "code", "source": "", "metadata": map[string]any{}, "outputs": []any{map[string]any{"output_type": "stream"}},
		}),
	} {
		if file, err := Write(nb); err == nil {
			t.Errorf("%s is written as %s", name, file)
		}
	}
}

// A notebook is trusted after a save without distrusted outputs, or if the client marks it as trusted.
func TestNotary(t *testing.T) {
	html := map[string]any{"output_type": "display_data", "data": map[string]any{"text/html": "<b>"}, "metadata": map[string]any{}}
	notebook := func(trusted bool, outputs ...any) map[string]any {
		return map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{map[string]any{
			"cell_type": "code", "id": "a", "source": "", "outputs": append([]any{}, outputs...), "execution_count": nil,
			"metadata": map[string]any{"trusted": trusted},
		}}}
	}
	for _, c := range []struct {
		name  string
		saved map[string]any
		want  bool
	}{
		{"no outputs", notebook(false), true},
		{"rich outputs", notebook(false, html), false},
		{"rich outputs, trusted", notebook(true, html), true},
	} {
		var n Notary
		file, err := Write(c.saved)
		if err != nil {
			t.Fatal(err)
		}
		for _, signed := range []bool{false, true} {
			nb, err := Read(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Mark(nb); err != nil {
				t.Fatal(err)
			}
			again, err := Write(nb)
			if err != nil {
				t.Fatal(err)
			}
			m := objects(nb["cells"])[0]["metadata"].(map[string]any)
			want := signed && c.want
			test.EqOp[any](t, want, m["trusted"], test.Sprint(c.name, signed))
			test.StrNotContains(t, string(again), "trusted", test.Sprint(c.name, signed))
			if err := n.Sign(c.saved); err != nil {
				t.Fatal(err)
			}
		}
	}
}
