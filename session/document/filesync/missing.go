package filesync

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// missingNamed is the maximum number of lost cells that are named.
const missingNamed = 10

// missing names the cells of a notebook that were changed since a revision and that another state of it lacks, with advice.
// now is nil if the other state does not exist; was is nil for a text.
func missing(was, now *ydoc.Notebook, since ydoc.Revision) string {
	if was == nil {
		return "the last changes of the text; read the document again, and repeat what is missing"
	}
	var lost []string
	more := 0
	for _, change := range was.ChangesSince(since).Cells {
		c, ok := was.Cell(change.ID)
		if !ok {
			continue
		}
		what := "inserted"
		if now != nil {
			if other, found := now.Cell(c.ID); found {
				if other.Source == c.Source && other.Type == c.Type && len(other.Outputs) == len(c.Outputs) {
					continue
				}
				if what = "source"; other.Source == c.Source {
					what = "outputs"
				}
			}
		}
		if len(lost) == missingNamed {
			more++
			continue
		}
		line, _, _ := strings.Cut(c.Source, "\n")
		lost = append(lost, fmt.Sprintf("cell %s (%s, begins %s)", c.ID, what, textfmt.Quoted(line)))
	}
	list := strings.Join(lost, ", ")
	switch {
	case list == "":
		list = "moves or deletions of cells, or metadata"
	case more > 0:
		list += fmt.Sprintf(" and %d more", more)
	}
	return list + "; read the notebook again, and repeat what is missing"
}
