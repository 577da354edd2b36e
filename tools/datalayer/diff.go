package datalayer

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// lineDiff returns the difference of two sources in the format of Python's difflib, with three lines around each change; ""
// for equal sources. A line end at the very end of a source does not begin another line.
func lineDiff(old, now string) string {
	if old == now {
		return ""
	}
	if d := datauri.Short(textdiff.Unified("", ended(old), ended(now), 3)); d != "" {
		return strings.TrimSuffix(d, "\n")
	}
	return fmt.Sprintf("@@ line terminators changed @@\n-%q\n+%q", old, now)
}

// ended adds a line end to the last line if it has none.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
