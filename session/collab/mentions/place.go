package mentions

import (
	"encoding/json"
	"strconv"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// markOf returns a call's [Mention.Mark]: the id of its first letter, which is equal in all replicas. The call's text would
// not do: it may occur twice, and changes while it is edited.
func markOf(nb *ydoc.Notebook, w written, names []Name) string {
	cell, ok := nb.Cell(w.cell)
	if !ok {
		return ""
	}
	from := -1
	for _, c := range findIn(cell.Type, cell.Source, names) {
		if c.says == w.call.says && (from < 0 || c.from == w.call.from) {
			from = c.from
		}
	}
	if from < 0 {
		return ""
	}
	raw, err := nb.RelativePosition(w.cell, textdiff.UTF16Len(cell.Source[:from]))
	var at struct {
		Item *struct{ Client, Clock uint64 }
	}
	if err != nil || json.Unmarshal(raw, &at) != nil || at.Item == nil {
		return ""
	}
	if again, _ := nb.Cell(w.cell); again.Source != cell.Source {
		return "" // the author is still typing, and it does not count yet
	}
	return strconv.FormatUint(at.Item.Client, 10) + "." + strconv.FormatUint(at.Item.Clock, 10)
}
