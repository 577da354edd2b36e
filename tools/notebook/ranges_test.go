package notebook

import (
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// one, span and byID are the ways to name cells.
func one(start int) target.CellRange       { return target.CellRange{Start: &start} }
func span(start, end int) target.CellRange { return target.CellRange{Start: &start, End: &end} }
func byID(id string) target.CellRange      { return target.CellRange{ID: id} }

// some returns a view of n cells, with the ids c0, c1, ….
func some(n int) target.View {
	cells := sample.CellsOf(make([]string, n)...)
	return target.View{Listed: cells, Now: cells}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranges []target.CellRange
		want   []int
	}{
		{"one cell", []target.CellRange{one(2)}, []int{2}},
		{"end is exclusive", []target.CellRange{span(1, 3)}, []int{1, 2}},
		{"all", []target.CellRange{span(0, 5)}, []int{0, 1, 2, 3, 4}},
		{"in the order given", []target.CellRange{one(4), span(0, 2)}, []int{4, 0, 1}},
		{"by id", []target.CellRange{byID("c3"), span(2, 4), byID("c0")}, []int{3, 2, 0}},
		{"each once", []target.CellRange{span(1, 4), span(0, 3), one(1)}, []int{1, 2, 3, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := target.Resolve(c.ranges, some(5))
			must.NoError(t, err)
			test.SliceEqOp(t, c.want, got)
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranges []target.CellRange
		cells  int
		says   []string
	}{
		{"no ranges", []target.CellRange{}, 5, []string{"empty list", "5 cells"}},
		{"negative start", []target.CellRange{one(-1)}, 5, []string{"ranges[0]", "start -1", "negative", "5 cells", "0 to 4"}},
		{"negative end", []target.CellRange{span(0, -2)}, 5, []string{"end -2", "negative", "5 cells"}},
		{"start beyond", []target.CellRange{one(0), one(5)}, 5, []string{"ranges[1]", "start 5", "out of range", "5 cells"}},
		{"reversed", []target.CellRange{span(3, 1)}, 5, []string{"start 3, end 1", "reversed", "5 cells"}},
		{"empty", []target.CellRange{span(3, 3)}, 5, []string{"start 3, end 3", "empty", "start 3, end 4", "5 cells"}},
		{"unknown id", []target.CellRange{one(0), byID("gone")}, 5, []string{"ranges[1]", `"gone"`, "read the cells again"}},
		{"id and index", []target.CellRange{{ID: "c1", Start: one(1).Start}}, 5, []string{"ranges[0]", "by its id alone"}},
		{"neither", []target.CellRange{{}}, 5, []string{"ranges[0] lacks start", "5 cells"}},
		{"end alone", []target.CellRange{{End: one(1).Start}}, 5, []string{"ranges[0] lacks start"}},
		{"of one cell", []target.CellRange{one(1)}, 1, []string{"1 cell, index 0"}},
		{"of none", []target.CellRange{one(0)}, 0, []string{"no cells"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := target.Resolve(c.ranges, some(c.cells))
			if err == nil {
				t.Fatalf("resolve = %v", got)
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// A range past the end is cut.
func TestResolveCuts(t *testing.T) {
	got, err := target.Resolve([]target.CellRange{span(3, 6)}, some(5))
	must.NoError(t, err)
	test.SliceEqOp(t, []int{3, 4}, got)
}

func TestSpans(t *testing.T) {
	if got := spans([]int{4, 5, 6, 0, 2, 3}); !slices.Equal(got, []indexSpan{{4, 7}, {0, 1}, {2, 4}}) {
		t.Errorf("spans = %v", got)
	}
}

func TestTargetsRefusesACellNamedTwice(t *testing.T) {
	_, err := changesOf([]Modification{{Range: span(0, 2), Content: new("")}, {Range: one(1), Content: new("")}}, target.View{Listed: sample.CellsOf("a", "b", "c"), Now: sample.CellsOf("a", "b", "c")})
	must.Error(t, err)
	test.StrContains(t, err.Error(), "modifications[0] and modifications[1] both name cell 1")
}
