package measure

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// table writes the lines for people, with the notes below.
func table(about string, lines []line) string {
	var b, notes strings.Builder
	fmt.Fprintf(&b, "%s, in tokens of o200k\n\n%-36s | %8s | %9s | %18s\n%s\n", about, "what", "nbduet", "Datalayer", "the content itself", strings.Repeat("-", 37)+"+"+strings.Repeat("-", 10)+"+"+strings.Repeat("-", 11)+"+"+strings.Repeat("-", 19))
	for _, l := range lines {
		itself := ""
		if l.itself >= 0 {
			itself = textfmt.Thousands(l.itself)
		}
		fmt.Fprintf(&b, "%-36s | %8s | %9s | %18s\n", l.what, textfmt.Thousands(l.nbduet), textfmt.Thousands(l.other), itself)
		fmt.Fprintf(&notes, "%s: %s\n", l.what, l.note)
	}
	return b.String() + "\nWhich calls:\n" + notes.String()
}
