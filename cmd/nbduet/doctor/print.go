package doctor

import (
	"fmt"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// nameWidth is that of the longest name of a check.
const nameWidth = len("collaboration")

// Print writes a check for people.
func Print(c *console.Console, check Check) {
	line := fmt.Sprintf("%-*s  %s", nameWidth, check.Name, check.Says)
	switch check.Result {
	case Fine:
		c.Good("%s", line)
	case Wrong:
		c.Bad("%s", line)
	default:
		c.Note("%s", line)
	}
	if check.Fix != "" {
		c.Line("  %-*s  → %s", nameWidth, "", check.Fix)
	}
}
