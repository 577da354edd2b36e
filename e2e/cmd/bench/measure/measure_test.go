package measure

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/tokens"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The table has a line for each measurement, an empty column without content, and its note below.
func TestTable(t *testing.T) {
	got := table("Calls", []line{
		{what: "read it", nbduet: 1234, other: 56, itself: 7, note: "with a call"},
		{what: "change it", nbduet: 8, other: 9, itself: -1, note: "with another"},
	})
	for _, want := range []string{
		"Calls, in tokens of o200k\n",
		"\nread it                              |    1,234 |        56 |                  7\n",
		"\nchange it                            |        8 |         9 |                   \n",
		"\nread it: with a call\nchange it: with another\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table is\n%s\nwithout %q", got, want)
		}
	}
}

// All texts of an answer count, and only they.
func TestTextsOf(t *testing.T) {
	got := textsOf(&mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent("one"), mcp.NewImageContent("aGVsbG8=", "image/png"), mcp.NewTextContent("two")},
		StructuredContent: map[string]any{"three": 3},
	})
	if want := []string{"one", "two"}; !slices.Equal(got, want) {
		t.Errorf("the texts are %q, want %q", got, want)
	}
}

// A notebook of some cells has only these; a missing cell is an error.
func TestOnly(t *testing.T) {
	file, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	one, err := only(file, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	var nb struct{ Cells []struct{ Source string } }
	if err := json.Unmarshal(one, &nb); err != nil {
		t.Fatal(err)
	}
	must.SliceLen(t, 1, nb.Cells)
	test.Eq(t, sources[1], nb.Cells[0].Source)
	if b, err := only(file, []int{len(sources)}); err == nil {
		t.Errorf("a cell that is not there is %s", b)
	}
}

// The notebook to run contains only its sources before it is run.
func TestScratch(t *testing.T) {
	file, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	says, err := tokens.Of(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if says.Cells != len(sources) {
		t.Errorf("it has %d cells, want %d", says.Cells, len(sources))
	}
	if says.Outputs != 0 {
		t.Errorf("its outputs have %d tokens, want none", says.Outputs)
	}
}
