package tools

import (
	"slices"
	"strings"
	"testing"
)

func to(end int) *int { return &end }

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranges []cellRange
		want   []int
	}{
		{"one cell", []cellRange{{Start: 2}}, []int{2}},
		{"end is exclusive", []cellRange{{1, to(3)}}, []int{1, 2}},
		{"all", []cellRange{{0, to(5)}}, []int{0, 1, 2, 3, 4}},
		{"in the order given", []cellRange{{Start: 4}, {0, to(2)}}, []int{4, 0, 1}},
		{"each once", []cellRange{{1, to(4)}, {0, to(3)}, {Start: 1}}, []int{1, 2, 3, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := resolve(c.ranges, 5)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("resolve = %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranges []cellRange
		cells  int
		says   []string
	}{
		{"no ranges", []cellRange{}, 5, []string{"empty list", "5 cells"}},
		{"negative start", []cellRange{{Start: -1}}, 5, []string{"ranges[0]", "start -1", "negative", "5 cells", "0 to 4"}},
		{"negative end", []cellRange{{0, to(-2)}}, 5, []string{"end -2", "negative", "5 cells"}},
		{"start beyond", []cellRange{{Start: 0}, {Start: 5}}, 5, []string{"ranges[1]", "start 5", "out of range", "5 cells"}},
		{"end beyond", []cellRange{{3, to(6)}}, 5, []string{"end 6", "out of range", "5 cells"}},
		{"reversed", []cellRange{{3, to(1)}}, 5, []string{"start 3, end 1", "reversed", "5 cells"}},
		{"empty", []cellRange{{3, to(3)}}, 5, []string{"start 3, end 3", "empty", "start 3, end 4", "5 cells"}},
		{"of one cell", []cellRange{{Start: 1}}, 1, []string{"1 cell, index 0"}},
		{"of none", []cellRange{{Start: 0}}, 0, []string{"no cells"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := resolve(c.ranges, c.cells)
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

func TestSpans(t *testing.T) {
	if got := spans([]int{4, 5, 6, 0, 2, 3}); !slices.Equal(got, []indexSpan{{4, 7}, {0, 1}, {2, 4}}) {
		t.Errorf("spans = %v", got)
	}
}

func TestTargetsRefusesACellNamedTwice(t *testing.T) {
	_, err := targets([]modification{{Range: cellRange{0, to(2)}}, {Range: cellRange{Start: 1}}}, cellsOf("a", "b", "c"))
	if err == nil || !strings.Contains(err.Error(), "modifications[0] and modifications[1] both name cell 1") {
		t.Errorf("error = %v", err)
	}
}
