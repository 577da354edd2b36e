package pair

import (
	"context"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// words lists the undone steps and the cells left unchanged, and shows the changed cells if they are short.
func (r *UndoResult) words(ctx context.Context, doc *session.Document, did string) func() plaintext.Text {
	if did == "" {
		return tool.Words(ctx, func() plaintext.Text { return plaintext.Text{First: r.Message} })
	}
	if doc.Notebook() == nil {
		return tool.Words(ctx, func() plaintext.Text {
			t := plaintext.Text{First: did + " " + r.names()}
			r.leave(&t, func(ids ...string) string { return strings.Join(ids, ", ") })
			return t
		})
	}
	return target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text {
		t := plaintext.Text{First: did + " " + r.names()}
		var changed, gone []string
		for _, id := range r.CellIDs {
			if roll.Has(id) {
				changed = append(changed, id)
			} else {
				gone = append(gone, id)
			}
		}
		t.First += "; " + roll.Changed(r.Revision, changed...)
		switch {
		case len(changed)+len(gone) == 0:
			t.First += "; nothing changed"
		case len(changed) > 0 && len(r.shown) == 0:
			t.First += "; changed " + roll.Names(changed...) + ", read before you change"
		case len(changed) > 0:
			t.First += "; changed, now:"
		}
		if len(gone) > 0 {
			t.First = strings.TrimSuffix(t.First, ", now:")
			t.First += "; no longer there " + roll.Names(gone...)
		}
		for _, c := range r.shown {
			cell := roll.Cell(c.ID)
			cell.Type = c.Type
			t.Add(plaintext.Source(cell, datauri.Short(c.Source)))
			roll.Show(c.ID)
		}
		r.leave(&t, roll.Names)
		return t
	})
}

// names returns the steps, each by its id and tool.
func (r *UndoResult) names() string {
	const most = 20
	var names []string
	for i, s := range r.Steps {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, s.Step+" "+s.Tool)
	}
	return strings.Join(names, ", ")
}

// leave lists the cells that were left unchanged, a line for each reason.
func (r *UndoResult) leave(t *plaintext.Text, names func(ids ...string) string) {
	for i, l := range r.Left {
		if i > 0 && r.Left[i-1].Why == l.Why {
			continue
		}
		ids := lo.FilterMap(r.Left, func(o LeftCell, _ int) (string, bool) { return o.CellID, o.Why == l.Why && o.CellID != "" })
		if len(ids) == 0 {
			t.Note(l.Why)
		} else {
			t.Note("left " + names(ids...) + ": " + l.Why)
		}
	}
	t.Note(r.fewer)
	if len(r.Ran) > 0 {
		t.Note("runs are not undone, and their effects in the kernel stay: you ran " + names(r.Ran...))
	}
}
