package search_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/service/search"
	"github.com/nbduet/nbduet/ydoc"
)

func query(t *testing.T, text string, in search.Part) search.Query {
	t.Helper()
	p, err := search.Compile("query", text, false)
	must.NoError(t, err)
	return search.Query{Pattern: p, In: in, Literal: text}
}

// all returns all hits, a few matches at a time.
func all(q search.Query, cells []ydoc.Cell, most int) (out []search.Hit) {
	for from := &search.Start; from != nil; {
		var hits []search.Hit
		hits, from = q.Cells(cells, *from, most)
		out = append(out, hits...)
	}
	return out
}

// A hit has the lines around its matches; matches near each other are one hit.
func TestHits(t *testing.T) {
	cells := []ydoc.Cell{
		{ID: "a", Type: ydoc.Code, Source: "one\ntwo\nthree\nfour\nfive\nsix\nseven\nTWO"},
		{ID: "b", Type: ydoc.Markdown, Source: "# Two\nno"},
	}
	got, next := query(t, "two", search.Sources).Cells(cells, search.Start, 100)
	test.Nil(t, next)
	test.Eq(t, []search.Hit{
		{Index: 0, ID: "a", Output: -1, First: 1, Lines: []string{"one", "two", "three", "four"}, Matches: []int{1}},
		{Index: 0, ID: "a", Output: -1, First: 6, Lines: []string{"six", "seven", "TWO"}, Matches: []int{2}},
		{Index: 1, ID: "b", Output: -1, First: 1, Lines: []string{"# Two", "no"}, Matches: []int{0}},
	}, got)
	got, _ = query(t, "two", search.Headings).Cells(cells, search.Start, 100)
	test.Len(t, 1, got)
	got, _ = query(t, "five\nSix\nseven", search.Sources).Cells(cells, search.Start, 100)
	must.Len(t, 1, got)
	test.Eq(t, []string{"three", "four", "five", "six", "seven", "TWO"}, got[0].Lines)
	test.Eq(t, []int{2}, got[0].Matches)
}

// Outputs are searched as text, without colors, and errors with their traceback.
func TestOutputs(t *testing.T) {
	cells := []ydoc.Cell{{ID: "a", Type: ydoc.Code, Source: "1/0", Outputs: []ydoc.Output{
		{"output_type": "stream", "name": "stdout", "text": []any{"be", "fore\n", "1/0"}},
		{"output_type": "execute_result", "data": map[string]any{"text/plain": "zero"}},
		{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": []any{"\x1b[31m----> 1\x1b[0m 1/0"}},
	}}}
	places := func(text string, in search.Part) (out []int) {
		for _, h := range all(query(t, text, in), cells, 1) {
			out = append(out, h.Output)
		}
		return out
	}
	test.Eq(t, []int{0}, places("before", search.Outputs))
	test.Eq(t, []int{-1, 0, 2}, places("1/0", search.All))
	test.Eq(t, []int{2}, places("> 1 1/0", search.Errors))
	test.Eq(t, []int{1, 2}, places("zero", search.Outputs))
	test.Nil(t, places("before", search.Sources))
	errors, _ := search.Query{In: search.Errors}.Cells(cells, search.Start, 100)
	must.Len(t, 1, errors)
	test.Eq(t, "ZeroDivisionError: division by zero", errors[0].Lines[0])
}

// A long line is cut around its match, between characters.
func TestLongLine(t *testing.T) {
	line := strings.Repeat("ä", 1000) + "needle" + strings.Repeat("ö", 1000)
	got, _ := query(t, "needle", search.Sources).Cells([]ydoc.Cell{{Source: line}}, search.Start, 1)
	must.Len(t, 1, got)
	shown := got[0].Lines[0]
	test.StrContains(t, shown, "ä"+"needle"+"ö")
	test.StrHasPrefix(t, "…ä", shown)
	test.StrHasSuffix(t, "ö…", shown)
	test.LessEq(t, 210, len(shown))
}

// A pattern that takes other engines exponential time is searched in linear time.
func TestSlowPattern(t *testing.T) {
	p, err := search.Compile("query", "(a+)+$", true)
	must.NoError(t, err)
	cells := []ydoc.Cell{{Source: strings.Repeat(strings.Repeat("a", 99)+"!", 100_000)}}
	got, next := search.Query{Pattern: p, In: search.All}.Cells(cells, search.Start, 100)
	test.Len(t, 0, got)
	test.Nil(t, next)
}

// Bad patterns are refused with the reason.
func TestCompile(t *testing.T) {
	for text, says := range map[string]string{"(a": "missing closing )", "a*": "matches the empty text", `(?=a)`: "invalid or unsupported Perl syntax"} {
		_, err := search.Compile("query", text, true)
		test.ErrorContains(t, err, says)
	}
	p, err := search.Compile("query", "(?-i)A", true)
	must.NoError(t, err)
	test.False(t, p.MatchString("a"))
}

// A search finds the same lines as a plain scan of random notebooks, however many matches an answer has.
func TestAsPlainScan(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 64))
		word := func() string { return []string{"a", "ab", "b", "", " ", "ä", "😀"}[rng.IntN(7)] }
		text := func() string {
			var lines []string
			for range rng.IntN(12) {
				lines = append(lines, word()+word()+word())
			}
			return strings.Join(lines, "\n")
		}
		cells := make([]ydoc.Cell, rng.IntN(10))
		for i := range cells {
			cells[i] = ydoc.Cell{ID: fmt.Sprint("c", i), Type: ydoc.Code, Source: text()}
			for range rng.IntN(3) {
				cells[i].Outputs = append(cells[i].Outputs, ydoc.Output{"output_type": "stream", "text": text()})
			}
		}
		want := map[string]string{}
		scan := func(cell, output int, text string) {
			for n, line := range strings.Split(text, "\n") {
				if strings.Contains(strings.ToLower(line), "ab") {
					want[fmt.Sprint(cell, output, n+1)] = line
				}
			}
		}
		for i, c := range cells {
			scan(i, -1, c.Source)
			for o, out := range c.Outputs {
				scan(i, o, out["text"].(string))
			}
		}
		got := map[string]string{}
		for _, h := range all(query(t, "ab", search.All), cells, 1+rng.IntN(5)) {
			for _, m := range h.Matches {
				got[fmt.Sprint(h.Index, h.Output, h.First+m)] = h.Lines[m]
			}
		}
		must.Eq(t, want, got, must.Sprint("seed ", seed))
	}
}

// Case is ignored in all letters, also in those whose other case is not ASCII.
func TestOtherCase(t *testing.T) {
	cells := []ydoc.Cell{{Source: "TAſK"}, {Source: "ΣΑΣ"}}
	for text, at := range map[string]int{"task": 0, "k": 0, "σας": 1} {
		got, _ := query(t, text, search.Sources).Cells(cells, search.Start, 10)
		must.Len(t, 1, got, must.Sprint(text))
		test.Eq(t, at, got[0].Index)
	}
}

// The matches of any expression are those of regexp, line by line.
func TestExpressions(t *testing.T) {
	for _, expression := range []string{"^a", "a$", "^ab?$", "b+"} {
		p, err := search.Compile("query", expression, true)
		must.NoError(t, err)
		source := "ab\na\n\nxa b\nbb\nab"
		var want, got []int
		for n, line := range strings.Split(source, "\n") {
			if regexp.MustCompile("(?i)" + expression).MatchString(line) {
				want = append(want, n)
			}
		}
		for _, h := range all(search.Query{Pattern: p, In: search.Sources}, []ydoc.Cell{{Source: source}}, 2) {
			for _, m := range h.Matches {
				got = append(got, h.First-1+m)
			}
		}
		test.Eq(t, want, got, test.Sprint(expression))
	}
}
