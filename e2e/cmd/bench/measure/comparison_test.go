package measure

import (
	"reflect"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The rows come from the lines of both tables, with the calls of two of them.
func TestComparison(t *testing.T) {
	r := Result{
		version: "2.2.4",
		answers: []line{
			{what: "read one cell with a table", nbduet: 59, other: 63, calls: 1, otherCalls: 1},
			{what: readOutputs, nbduet: 1715, other: 1977, calls: 1, otherCalls: 40},
			{what: changeCell, nbduet: 6, other: 60, calls: 1, otherCalls: 1},
			{what: runFailing, nbduet: 32, other: 51, calls: 1, otherCalls: 1},
			{what: givenTools, nbduet: 3306, other: 4653},
		},
		task: []line{{what: givenTools, nbduet: 3306, other: 4653}, {what: wholeTask, nbduet: 4079, other: 5649, calls: 7, otherCalls: 9}},
	}
	c := r.Comparison()
	page, err := c.WriteTo("before\n" + comparisonBegin + "an old table\n" + comparisonEnd + "\nafter\n")
	if err != nil {
		t.Fatal(err)
	}
	want := `before
<!-- comparison:begin -->
| tokens (o200k), rounded | nbduet | [jupyter-mcp-server](https://github.com/datalayer/jupyter-mcp-server) 2.2.4 |
| --- | ---: | ---: |
| read a notebook of 40 cells with outputs | 1 call, 1,700 tokens | 40 calls, 2,000 tokens |
| change one cell: the answer | 6 tokens | 60 tokens |
| run a cell that fails: the answer | 32 tokens | 51 tokens |
| the list of tools, in each conversation | 3,300 tokens | 4,700 tokens |
| the whole task of ` + "`make demo`" + `: list, arguments and answers | 7 calls, 4,100 tokens | 9 calls, 5,600 tokens |
<!-- comparison:end -->
after
`
	if page != want {
		t.Errorf("the page is\n%s\nwant\n%s", page, want)
	}
	table, err := ReadComparison(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Rows[0]; !reflect.DeepEqual(got, Row{c.Rows[0].What, Figure{1, 1700}, Figure{40, 2000}}) {
		t.Errorf("the first row is %+v", got)
	}
	if problems := c.Differences(table); problems != nil {
		t.Errorf("the table that was just written differs: %q", problems)
	}
}

// A figure agrees with the table after a small change; the calls must be equal.
func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		measured, table Figure
		want            bool
	}{
		{Figure{1, 1715}, Figure{1, 1700}, true},
		{Figure{1, 1752}, Figure{1, 1700}, true}, // 1,749 would be 1,700
		{Figure{1, 1900}, Figure{1, 1700}, false},
		{Figure{1, 1500}, Figure{1, 1700}, false},
		{Figure{2, 1715}, Figure{1, 1700}, false},
		{Figure{0, 6}, Figure{0, 9}, true},
		{Figure{0, 6}, Figure{0, 10}, false},
		{Figure{0, 6}, Figure{0, 2}, false},
		{Figure{0, 1}, Figure{0, 0}, true},
	} {
		if got := c.measured.agrees(c.table); got != c.want {
			t.Errorf("%+v agrees with %+v: %v", c.measured, c.table, got)
		}
	}
}

// Round leaves two significant digits.
func TestRound(t *testing.T) {
	for n, want := range map[int]int{0: 0, 6: 6, 99: 99, 104: 100, 105: 110, 996: 1000, 1049: 1000, 1977: 2000, 12345: 12000} {
		if got := Round(n); got != want {
			t.Errorf("%d is rounded to %d, want %d", n, got, want)
		}
	}
}

// Differences names the row and the server of each difference.
func TestDifferences(t *testing.T) {
	one := Comparison{"1.0", []Row{{"read", Figure{1, 50}, Figure{2, 90}}}}
	for want, table := range map[string]Comparison{
		"is about jupyter-mcp-server 0.9":                              {"0.9", one.Rows},
		"has 0 rows, not 1":                                            {"1.0", nil},
		`row 1 is "write", not "read"`:                                 {"1.0", []Row{{"write", Figure{1, 50}, Figure{2, 90}}}},
		`read, nbduet: the table has "1 call, 60 tokens"`:              {"1.0", []Row{{"read", Figure{1, 60}, Figure{2, 90}}}},
		`read, jupyter-mcp-server: the table has "2 calls, 80 tokens"`: {"1.0", []Row{{"read", Figure{1, 50}, Figure{2, 80}}}},
	} {
		got := one.Differences(table)
		must.SliceLen(t, 1, got)
		test.StrContains(t, got[0], want)
	}
}

// A missing or unreadable table is an error.
func TestReadComparisonFails(t *testing.T) {
	head := comparisonBegin + "| | a | b 1.2 |\n| --- | --- | --- |\n"
	for page, want := range map[string]string{
		"a page":                        "no lines",
		comparisonBegin + comparisonEnd: "empty",
		head + "| x | 1 tokens |\n" + comparisonEnd:            "three columns",
		head + "| x | 1 tokens | many |\n" + comparisonEnd:     `x: "many" is not a number of tokens`,
		head + "| x | , tokens | 1 tokens |\n" + comparisonEnd: "x: ",
	} {
		c, err := ReadComparison(page)
		must.Error(t, err, must.Sprint(page, c))
		test.StrContains(t, err.Error(), want, test.Sprint(page, c))
	}
	if _, err := (Comparison{}).WriteTo("a page"); err == nil {
		t.Error("a page without the lines is written")
	}
}
