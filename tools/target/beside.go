package target

import (
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// groupsBeside is the maximum number of groups of cells whose neighbors a line names.
const groupsBeside = 3

// Changed returns the revision after a change of cells, and their neighbors.
func (r *Roll) Changed(revision string, ids ...string) string { return r.Deleted(revision, r, ids...) }

// Deleted is Changed for cells that only the notebook before the change has.
func (r *Roll) Deleted(revision string, before *Roll, ids ...string) string {
	return strings.Join(lo.Compact([]string{"revision " + revision, r.beside(before.cells, ids...)}), ", ")
}

// beside names the neighbors of cells that were changed among the cells of a notebook before or after the change, with the
// beginning of a source that the client does not know: "after 2 4f2a, before 5 99bc "print(x)"". Cells that follow each
// other have their neighbors in common. It is "" if the notebook has no other cell.
func (r *Roll) beside(among []ydoc.Cell, ids ...string) string {
	changed := map[string]bool{}
	for _, id := range ids {
		changed[id] = true
	}
	var groups, shown []string
	name := func(how string, c ydoc.Cell) (parts []string) {
		if at, ok := r.at[c.ID]; ok { // it is not gone
			part := how + " " + r.Cell(c.ID).Name()
			if _, same := r.doc.As(r.client).Knows(c.ID, r.cells[at].Source); !same {
				line, _, _ := strings.Cut(strings.TrimSpace(r.cells[at].Source), "\n")
				line, _ = textfmt.Cut(line, 40)
				part += " " + textfmt.Quoted(line)
			}
			parts, shown = []string{part}, append(shown, c.ID)
		}
		return parts
	}
	for at := 0; at < len(among); at++ {
		if !changed[among[at].ID] {
			continue
		}
		var group []string
		if at > 0 {
			group = append(group, name("after", among[at-1])...)
		}
		for at+1 < len(among) && changed[among[at+1].ID] {
			at++
		}
		if at+1 < len(among) {
			group = append(group, name("before", among[at+1])...)
		}
		if len(group) > 0 {
			groups = append(groups, strings.Join(group, ", "))
		}
	}
	if more := len(groups) - groupsBeside; more > 0 {
		groups = append(groups[:groupsBeside], "and "+textfmt.Plural(more, "more place"))
	}
	r.Show(shown...)
	return strings.Join(groups, "; ")
}
