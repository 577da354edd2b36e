package figures

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/cmd/bench/measure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each figure of the README's comparison agrees with a measurement.
func TestComparison(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	table, err := measure.ReadComparison(string(page))
	if err != nil {
		t.Fatal(err)
	}
	binary, err := agent.Build("../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var answers strings.Builder
	result, err := measure.Run(t.Context(), binary, &answers)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("measured:\n%s", result)
	defer func() {
		if t.Failed() {
			t.Logf("the answers:\n%s", answers.String())
		}
	}()
	for _, problem := range result.Comparison().Differences(table) {
		t.Errorf("README.md: %s; `make bench`, then `.cache/bin/bench -update README.md`, writes the table", problem)
	}
}
