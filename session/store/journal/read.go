package journal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/store/sqlite"
	"github.com/nbduet/nbduet/ydoc"
)

// most is how many steps Steps returns, and mostBytes about the size of their texts.
const (
	most      = 256
	mostBytes = 16 << 20
)

// Steps implements [undo.Journal].
func (j *Journal) Steps(ctx context.Context, in undo.Place, owner string) ([]undo.Recorded, error) {
	var all []undo.Recorded
	err := j.current(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		all, err = read(ctx, db, in, owner)
		return err
	})
	return all, err
}

// current calls f, which reads, with the database as up to date as it can be.
func (j *Journal) current(ctx context.Context, f func(context.Context, *sql.DB) error) error {
	ctx, cancel := context.WithTimeout(ctx, sqlite.Timeout)
	defer cancel()
	if j.waits() {
		j.writer.Report(j.flush(ctx))
	}
	err := j.use(ctx, func(db *sql.DB) error { return f(ctx, db) })
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		j.writer.Report(err)
	}
	return err
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
	size := 0
	for i := range rows {
		if size > mostBytes {
			rows = rows[:i]
			break
		}
		r := &rows[i]
		if r.Edits, err = sqlite.Each(ctx, db, func(scan sqlite.Scan) ([]ydoc.CellEdit, error) {
			var cells []byte
			if err := scan(&cells); err != nil {
				return nil, err
			}
			var edits []ydoc.CellEdit
			err := unpack(cells, &edits)
			return edits, err
		}, `SELECT cells FROM edits WHERE step = ? ORDER BY nr`, r.id); err != nil {
			return nil, err
		}
		for _, edits := range r.Edits {
			r.Cells = lo.Union(r.Cells, lo.Map(edits, func(e ydoc.CellEdit, _ int) string { return e.ID }))
			size += lo.SumBy(edits, ydoc.CellEdit.Bytes)
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.undone, b.undone), cmp.Compare(a.id, b.id)) })
	return lo.Map(rows, func(r row, _ int) undo.Recorded { return r.Recorded }), nil
}
