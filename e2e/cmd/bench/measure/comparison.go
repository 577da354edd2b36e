package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The lines of a page around the comparison table.
const (
	comparisonBegin = "<!-- comparison:begin -->\n"
	comparisonEnd   = "<!-- comparison:end -->"
)

// ToolsRow names the row of the comparison for the list of tools.
const ToolsRow = "the list of tools, in each conversation"

// shown are the rows of the comparison, by the names of their lines, and whether the number of calls is shown.
var shown = []struct {
	line, row string
	calls     bool
}{
	{readOutputs, "read a notebook of 40 cells with outputs", true},
	{changeCell, "change one cell: the answer", false},
	{runFailing, "run a cell that fails: the answer", false},
	{givenTools, ToolsRow, false},
	{wholeTask, "the whole task of `make demo`: list, arguments and answers", true},
}

// Comparison is the comparison table of a page.
type Comparison struct {
	Version string // of jupyter-mcp-server
	Rows    []Row
}

// Row is a row of the comparison.
type Row struct {
	What          string
	Nbduet, Other Figure
}

// Figure is a number of tokens. Calls is 0 if the number of calls is not shown.
type Figure struct{ Calls, Tokens int }

// Comparison returns the result's rows for the comparison table, with all digits.
func (r Result) Comparison() Comparison {
	c := Comparison{Version: r.version}
	for _, s := range shown {
		for _, l := range append(r.answers[:len(r.answers):len(r.answers)], r.task...) {
			if l.what != s.line {
				continue
			}
			row := Row{What: s.row, Nbduet: Figure{l.calls, l.nbduet}, Other: Figure{l.otherCalls, l.other}}
			if !s.calls {
				row.Nbduet.Calls, row.Other.Calls = 0, 0
			}
			c.Rows = append(c.Rows, row)
			break
		}
	}
	return c
}

// Round rounds to two significant digits.
func Round(n int) int {
	unit := 1
	for n >= 100*unit {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// String returns the figure as the table shows it, such as "1 call, 1,700 tokens".
func (f Figure) String() string {
	s := textfmt.Thousands(Round(f.Tokens)) + " tokens"
	if f.Calls > 0 {
		s = textfmt.Plural(f.Calls, "call") + ", " + s
	}
	return s
}

// String returns the table in Markdown.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| tokens (o200k), rounded | nbduet | [jupyter-mcp-server](https://github.com/datalayer/jupyter-mcp-server) %s |\n", c.Version)
	b.WriteString("| --- | ---: | ---: |\n")
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.What, r.Nbduet, r.Other)
	}
	return b.String()
}

// cut returns the text of a page before, in and after its comparison table.
func cut(page string) (head, table, tail string, err error) {
	head, rest, begins := strings.Cut(page, comparisonBegin)
	table, tail, ends := strings.Cut(rest, comparisonEnd)
	if !begins || !ends {
		return "", "", "", fmt.Errorf("the page has no lines %q and %q", strings.TrimSpace(comparisonBegin), comparisonEnd)
	}
	return head, table, tail, nil
}

// WriteTo returns the page with this table.
func (c Comparison) WriteTo(page string) (string, error) {
	head, _, tail, err := cut(page)
	if err != nil {
		return "", err
	}
	return head + comparisonBegin + c.String() + comparisonEnd + tail, nil
}

var (
	versionForm = regexp.MustCompile(`\d+(?:\.\d+)+`)
	figureForm  = regexp.MustCompile(`^(?:(\d+) calls?, )?([\d,]+) tokens$`)
)

// ReadComparison reads the comparison table of a page.
func ReadComparison(page string) (Comparison, error) {
	_, table, _, err := cut(page)
	if err != nil {
		return Comparison{}, err
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) < 2 {
		return Comparison{}, errors.New("the comparison table is empty")
	}
	c := Comparison{Version: versionForm.FindString(rows[0])}
	for _, text := range rows[2:] { // below the header and its rule
		cells := strings.Split(strings.Trim(strings.TrimSpace(text), "|"), "|")
		if len(cells) != 3 {
			return Comparison{}, fmt.Errorf("a row of the comparison does not have three columns: %s", text)
		}
		row := Row{What: strings.TrimSpace(cells[0])}
		for i, f := range []*Figure{&row.Nbduet, &row.Other} {
			if *f, err = readFigure(strings.TrimSpace(cells[i+1])); err != nil {
				return Comparison{}, fmt.Errorf("%s: %w", row.What, err)
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// readFigure reads a figure as String writes it.
func readFigure(text string) (f Figure, err error) {
	m := figureForm.FindStringSubmatch(text)
	if m == nil {
		return f, fmt.Errorf("%q is not a number of tokens", text)
	}
	if f.Calls, err = strconv.Atoi(cmp.Or(m[1], "0")); err != nil {
		return f, err
	}
	f.Tokens, err = strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
	return f, err
}

// agrees reports whether the table's figure is this one rounded, after a change of at most 3 % or 3 tokens: random ids
// vary in their number of tokens.
func (f Figure) agrees(table Figure) bool {
	moved := max(3, int(math.Ceil(0.03*float64(f.Tokens))))
	return f.Calls == table.Calls && Round(max(0, f.Tokens-moved)) <= table.Tokens && table.Tokens <= Round(f.Tokens+moved)
}

// Differences compares the table of a page with the measured comparison and returns the outdated figures.
func (c Comparison) Differences(table Comparison) (problems []string) {
	if table.Version != c.Version {
		problems = append(problems, fmt.Sprintf("the table is about jupyter-mcp-server %s, measured is %s", table.Version, c.Version))
	}
	if len(table.Rows) != len(c.Rows) {
		return append(problems, fmt.Sprintf("the table has %d rows, not %d", len(table.Rows), len(c.Rows)))
	}
	for i, row := range c.Rows {
		in := table.Rows[i]
		if in.What != row.What {
			problems = append(problems, fmt.Sprintf("row %d is %q, not %q", i+1, in.What, row.What))
			continue
		}
		for _, f := range []struct {
			name         string
			measured, in Figure
		}{{"nbduet", row.Nbduet, in.Nbduet}, {"jupyter-mcp-server", row.Other, in.Other}} {
			if !f.measured.agrees(f.in) {
				problems = append(problems, fmt.Sprintf("%s, %s: the table has %q, measured is %q (%d tokens)", row.What, f.name, f.in, f.measured, f.measured.Tokens))
			}
		}
	}
	return problems
}
