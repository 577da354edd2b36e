package journal

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/undo"
)

// maxSnapshots is how many snapshots of a notebook are kept; the oldest go first.
const maxSnapshots = 40

// snapshots are the snapshots of a notebook.
type snapshots struct {
	j  *Journal
	in func() undo.Place
}

// Snapshots returns the snapshots of a notebook. in is called when they are written.
func (j *Journal) Snapshots(in func() undo.Place) changelog.Snapshots { return snapshots{j, in} }

// Keep implements [changelog.Snapshots].
func (s snapshots) Keep(shot changelog.Snapshot) {
	s.j.enqueue(lo.SumBy(shot.Cells, func(c changelog.SnapshotCell) int { return len(c.Source) }), func(ctx context.Context, tx *sql.Tx) error { return putSnapshot(ctx, tx, s.in(), shot) })
}

// Find implements [changelog.Snapshots].
func (s snapshots) Find(ctx context.Context, revision string, at time.Time) (shot changelog.Snapshot, ok bool) {
	in := s.in()
	err := s.j.current(ctx, func(ctx context.Context, db *sql.DB) error {
		var cells []byte
		var when int64
		err := db.QueryRowContext(ctx, `SELECT revision, at, cells FROM snapshots JOIN notebooks ON notebook = notebooks.id JOIN contents USING (sum)
			WHERE server = ? AND file = ? AND iif(? = '', at <= ?, revision = ?) ORDER BY at DESC, snapshots.id DESC LIMIT 1`,
			in.Server, in.File, revision, at.UnixMilli(), revision).Scan(&shot.Name, &when, &cells)
		if err != nil {
			return err
		}
		shot.At = time.UnixMilli(when)
		return unpack(cells, &shot.Cells)
	})
	return shot, err == nil
}

// putSnapshot adds a snapshot of a notebook.
func putSnapshot(ctx context.Context, tx *sql.Tx, in undo.Place, shot changelog.Snapshot) error {
	notebook, err := notebookAt(ctx, tx, in)
	if err != nil {
		return err
	}
	cells, err := packed(shot.Cells)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(cells)
	if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO contents (sum, cells) VALUES (?, ?)`, sum[:], cells); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO snapshots (notebook, revision, at, sum) VALUES (?, ?, ?, ?)`,
		notebook, shot.Name, shot.At.UnixMilli(), sum[:]); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM snapshots WHERE id IN
		(SELECT id FROM snapshots WHERE notebook = ? ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)`, notebook, maxSnapshots)
	return err
}

// lookBytes is about the size of a look that waits to be written.
const lookBytes = 100

// Look implements [changelog.Snapshots].
func (s snapshots) Look(owner, revision string) {
	at := time.Now().UnixMilli()
	s.j.enqueue(lookBytes, func(ctx context.Context, tx *sql.Tx) error {
		notebook, err := notebookAt(ctx, tx, s.in())
		if err == nil {
			_, err = tx.ExecContext(ctx, `INSERT INTO looks (notebook, owner, revision, at) VALUES (?, ?, ?, ?)
				ON CONFLICT (notebook, owner) DO UPDATE SET revision = excluded.revision, at = excluded.at`, notebook, owner, revision, at)
		}
		return err
	})
}

// Looked implements [changelog.Snapshots].
func (s snapshots) Looked(ctx context.Context, owner string) (revision string, at time.Time) {
	in := s.in()
	_ = s.j.current(ctx, func(ctx context.Context, db *sql.DB) error { // which reports its errors
		var when int64
		err := db.QueryRowContext(ctx, `SELECT revision, looks.at FROM looks JOIN notebooks ON notebook = notebooks.id
			WHERE server = ? AND file = ? AND owner = ?`, in.Server, in.File, owner).Scan(&revision, &when)
		at = time.UnixMilli(when)
		return err
	})
	return revision, at
}
