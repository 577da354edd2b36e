package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/e2e/nbfile"
)

// Check compares the cells of a notebook's file with those of the finished task. Its error names missing ones.
func Check(cells []nbfile.Cell) error {
	wanted := []struct{ source, mimeType string }{
		3: {TextCell, "text/plain"},
		4: {TableCell, "text/html"},
		5: {ChangedPlotCell, "image/png"},
	}
	if len(cells) != len(wanted) {
		return fmt.Errorf("the file has %d cells, not %d", len(cells), len(wanted))
	}
	var missing []error
	for i, want := range wanted {
		if i > 0 && cells[i].ExecutionCount == nil {
			missing = append(missing, fmt.Errorf("cell %d has no execution count", i))
		}
		if want.source == "" {
			continue
		}
		if string(cells[i].Source) != want.source {
			missing = append(missing, fmt.Errorf("cell %d has the source %q", i, cells[i].Source))
		}
		if types := outputTypes(cells[i]); !slices.Contains(types, want.mimeType) {
			missing = append(missing, fmt.Errorf("cell %d has no whole output %s, but %q", i, want.mimeType, types))
		}
	}
	return errors.Join(missing...)
}

// outputTypes returns the MIME types of a cell's outputs. A stream counts as plain text once it has its last line.
func outputTypes(c nbfile.Cell) []string {
	var types []string
	for _, output := range c.Outputs {
		if output.Type == "stream" && strings.Contains(string(output.Text), "Sun ######") {
			types = append(types, "text/plain")
		}
		for mimeType := range output.Data {
			types = append(types, mimeType)
		}
	}
	return types
}
