package listing

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/nbduet/nbduet/e2e/cmd/bench/measure"
	"github.com/nbduet/nbduet/session/textfmt"
)

var listsTools = regexp.MustCompile(`lists\s+(\d+)\s+tools,\s+about\s+([\d,]+)\s+tokens`)

// README.md has the present number of tools and of their tokens, in a sentence and in its comparison table.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	tools := listed(t)
	_, given, err := measure.CountTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d tokens as models get them", len(tools), given)
	hundreds := textfmt.Thousands((given + 50) / 100 * 100)
	m := listsTools.FindStringSubmatch(string(page))
	if m == nil {
		t.Errorf("README.md does not have the words \"lists %d tools, about %s tokens\"", len(tools), hundreds)
	} else if m[1] != textfmt.Thousands(len(tools)) || m[2] != hundreds {
		t.Errorf("README.md has %q, want \"lists %d tools, about %s tokens\"", m[0], len(tools), hundreds)
	}
	table, err := measure.ReadComparison(string(page))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(table.Rows, func(r measure.Row) bool { return r.What == measure.ToolsRow })
	if i < 0 {
		t.Fatalf("the comparison in README.md has no row %q", measure.ToolsRow)
	}
	if in := table.Rows[i].Nbduet.Tokens; in != measure.Round(given) {
		t.Errorf("the comparison in README.md has %d tokens for the list of tools of nbduet, want %d; `make bench`, then `.cache/bin/bench -update README.md`, writes it", in, measure.Round(given))
	}
}
