package doctor

import (
	"fmt"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

const (
	// nameWidth is the width of the longest name of a check.
	nameWidth = len("collaboration")
	// saysAt is the column of the finding, after a mark, a name and the spaces between.
	saysAt = 2 + nameWidth + 2
)

// Print writes a check for people.
func Print(c *console.Console, check Check) {
	line := fmt.Sprintf("%-*s  %s", nameWidth, check.Name, console.Folded(c, saysAt, check.Says))
	switch check.Result {
	case Fine:
		c.Good("%s", line)
	case Wrong:
		c.Bad("%s", line)
	default:
		c.Note("%s", line)
	}
	if check.Fix != "" {
		c.Line("  %-*s  → %s", nameWidth, "", console.Folded(c, saysAt+2, check.Fix))
	}
}
