package journal

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/store/sqlite"
	"github.com/nbduet/nbduet/ydoc"
)

// most is how many steps Steps returns.
const most = 256

// Steps implements [undo.Journal]. It returns nil if the database cannot be used.
func (j *Journal) Steps(ctx context.Context, in undo.Place, owner string) []undo.Recorded {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	var all []undo.Recorded
	err := j.flush(ctx)
	if err == nil {
		err = j.use(ctx, func(db *sql.DB) (err error) {
			all, err = read(ctx, db, in, owner)
			return err
		})
	}
	j.report(err)
	return all
}

func read(ctx context.Context, db *sql.DB, in undo.Place, owner string) ([]undo.Recorded, error) {
	type row struct {
		undo.Recorded
		id, undone int64
	}
	rows, err := sqlite.Each(ctx, db, func(scan sqlite.Scan) (r row, err error) {
		var at int64
		err = scan(&r.id, &r.ID, &r.Tool, &r.Reason, &at, &r.undone)
		r.At, r.Undone = time.UnixMilli(at), r.undone != 0
		return r, err
	}, `SELECT id, step, tool, reason, at, undone FROM steps
		WHERE owner = ? AND notebook = (SELECT id FROM notebooks WHERE server = ? AND file = ?) ORDER BY id DESC LIMIT ?`, owner, in.Server, in.File, most)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.undone, b.undone), cmp.Compare(a.id, b.id)) })
	for i := range rows {
		r := &rows[i]
		if r.Edits, err = sqlite.Each(ctx, db, func(scan sqlite.Scan) ([]ydoc.CellEdit, error) {
			var cells []byte
			if err := scan(&cells); err != nil {
				return nil, err
			}
			return unpacked(cells)
		}, `SELECT cells FROM edits WHERE step = ? ORDER BY nr`, r.id); err != nil {
			return nil, err
		}
		for _, edits := range r.Edits {
			r.Cells = lo.Union(r.Cells, lo.Map(edits, func(e ydoc.CellEdit, _ int) string { return e.ID }))
		}
	}
	return lo.Map(rows, func(r row, _ int) undo.Recorded { return r.Recorded }), nil
}
