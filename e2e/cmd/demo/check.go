package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// checkFile waits for the autosave to have brought the whole script's work to
// the notebook's file, and says what is missing where it does not.
func checkFile(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return poll.Until(ctx, "the work to be in the file "+file, func(context.Context) error {
		cells, err := nbfile.Read(file)
		if err != nil {
			return err
		}
		return check(cells)
	})
}

// check compares the cells of the file with what the script has done.
func check(cells []nbfile.Cell) error {
	wanted := []struct{ source, mimeType string }{
		3: {textCell, "text/plain"},
		4: {tableCell, "text/html"},
		5: {changedPlotCell, "image/png"},
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

// outputTypes are the MIME types of a cell's outputs, where a stream counts
// as plain text once its last line is there.
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
