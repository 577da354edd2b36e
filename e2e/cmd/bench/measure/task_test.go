package measure

import (
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/cmd/demo/task"
	"github.com/nbduet/nbduet/e2e/tokens"
)

// Arguments count as a model writes them: without HTML escapes and without a final newline.
func TestWritten(t *testing.T) {
	got, err := written(map[string]any{"code": "a < b && c > d"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := tokens.Count(`{"code":"a < b && c > d"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("the arguments have %d tokens, want %d", got, want)
	}
}

// Calls are named in order; consecutive calls of one tool are combined.
func TestNamed(t *testing.T) {
	got := named([]call{{tool: "read"}, {tool: "run"}, {tool: "run"}, {tool: "read"}})
	if want := "4 calls (read, 2 × run, read)"; got != want {
		t.Errorf("the calls are %q, want %q", got, want)
	}
}

// sourcesIn returns the sources among the arguments of calls, in order.
func sourcesIn(calls []call) (sources []string) {
	for _, c := range calls {
		for _, key := range []string{"cells", "modifications"} {
			list, _ := c.args[key].([]map[string]any)
			for _, one := range list {
				sources = append(sources, one["content"].(string))
			}
		}
		if s, ok := c.args["cell_source"].(string); ok {
			sources = append(sources, s)
		}
	}
	return sources
}

// Both servers get the same cells.
func TestSameTask(t *testing.T) {
	want := []string{task.TextCell, task.TableCell, task.PlotCell, task.ChangedPlotCell}
	for name, calls := range map[string][]call{"nbduet": ourTask(), "Datalayer": theirTask()} {
		if got := sourcesIn(calls); !slices.Equal(got, want) {
			t.Errorf("%s is given %q, want %q", name, got, want)
		}
	}
}

// Only the pictures of an answer are counted.
func TestPicturesOf(t *testing.T) {
	got := picturesOf(&mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("one"), mcp.NewImageContent("aGVsbG8=", "image/png")}})
	if got != 1 {
		t.Errorf("%d pictures, want 1", got)
	}
}

// An answer is recorded with its server and its cost.
func TestKeep(t *testing.T) {
	var b strings.Builder
	s := &server{name: "nbduet", record: &b}
	if err := s.keep(measurement{what: "read it"}, call{tool: "read"}, "the text", 2); err != nil {
		t.Fatal(err)
	}
	if want := "=== nbduet: read it, read, 2 tokens\nthe text\n\n"; b.String() != want {
		t.Errorf("recorded is %q, want %q", b.String(), want)
	}
}
