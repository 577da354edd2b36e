package journal

import (
	"bytes"
	"compress/zlib"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// steps are the schema's migrations, see [sqlite.Open]. Times are milliseconds since 1970. undone is 0 for a step that can be
// undone, else the nanosecond at which it was undone.
var steps = []string{
	`CREATE TABLE notebooks (
		id     INTEGER PRIMARY KEY,
		server TEXT NOT NULL,
		file   TEXT NOT NULL,
		path   TEXT NOT NULL,
		UNIQUE (server, file)
	);
	CREATE TABLE steps (
		id       INTEGER PRIMARY KEY,
		step     TEXT NOT NULL UNIQUE,
		notebook INTEGER NOT NULL REFERENCES notebooks(id) ON DELETE CASCADE,
		owner    TEXT NOT NULL,
		tool     TEXT NOT NULL,
		reason   TEXT NOT NULL,
		at       INTEGER NOT NULL,
		undone   INTEGER NOT NULL DEFAULT 0
	);
	CREATE INDEX steps_of_notebook ON steps (notebook, owner);
	CREATE INDEX undone_steps ON steps (notebook, owner) WHERE undone != 0;
	CREATE INDEX steps_by_time ON steps (at);
	CREATE TABLE edits (
		step  INTEGER NOT NULL REFERENCES steps(id) ON DELETE CASCADE,
		nr    INTEGER NOT NULL,
		cells BLOB NOT NULL,
		PRIMARY KEY (step, nr)
	) WITHOUT ROWID;
	CREATE TABLE snapshots (
		id       INTEGER PRIMARY KEY,
		notebook INTEGER NOT NULL REFERENCES notebooks(id) ON DELETE CASCADE,
		revision TEXT NOT NULL,
		at       INTEGER NOT NULL,
		cells    BLOB NOT NULL,
		UNIQUE (notebook, revision)
	);`,
	`CREATE TABLE looks (
		notebook INTEGER NOT NULL REFERENCES notebooks(id) ON DELETE CASCADE,
		owner    TEXT NOT NULL,
		revision TEXT NOT NULL,
		at       INTEGER NOT NULL,
		PRIMARY KEY (notebook, owner)
	) WITHOUT ROWID;`,
	// Snapshots with the same cells share them. sum is their SHA-256; of older snapshots, the id.
	`CREATE TABLE contents (sum BLOB PRIMARY KEY, cells BLOB NOT NULL);
	INSERT INTO contents SELECT CAST(id AS BLOB), cells FROM snapshots;
	ALTER TABLE snapshots ADD COLUMN sum BLOB;
	UPDATE snapshots SET sum = CAST(id AS BLOB);
	ALTER TABLE snapshots DROP COLUMN cells;
	CREATE INDEX snapshots_by_sum ON snapshots (sum);
	CREATE TRIGGER unused_contents AFTER DELETE ON snapshots WHEN NOT EXISTS (SELECT 1 FROM snapshots WHERE sum = old.sum) BEGIN
		DELETE FROM contents WHERE sum = old.sum;
	END;`,
}

// putEdits adds edits to a step of an author.
func putEdits(ctx context.Context, tx *sql.Tx, in undo.Place, a origin.Author, made undo.Step, edits []ydoc.CellEdit) error {
	notebook, err := notebookAt(ctx, tx, in)
	if err != nil {
		return err
	}
	// After a new edit, the undone ones can no longer be redone.
	if _, err := tx.ExecContext(ctx, `DELETE FROM steps WHERE notebook = ? AND owner = ? AND undone != 0`, notebook, a.Owner); err != nil {
		return err
	}
	var step int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO steps (step, notebook, owner, tool, reason, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (step) DO UPDATE SET at = excluded.at RETURNING id`,
		made.ID, notebook, a.Owner, made.Tool, made.Reason, made.At.UnixMilli()).Scan(&step); err != nil {
		return err
	}
	cells, err := packed(edits)
	if err != nil { // the metadata have a NaN
		for _, e := range edits {
			if e.Before != nil {
				e.Before.Metadata = nil
			}
		}
		if cells, err = packed(edits); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO edits (step, nr, cells) SELECT ?, coalesce(max(nr), 0) + 1, ? FROM edits WHERE step = ?`, step, cells, step)
	return err
}

// notebookAt returns the row of a notebook, with its present path.
func notebookAt(ctx context.Context, tx *sql.Tx, p undo.Place) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO notebooks (server, file, path) VALUES (?, ?, ?)
		ON CONFLICT (server, file) DO UPDATE SET path = excluded.path RETURNING id`, p.Server, p.File, p.Path).Scan(&id)
	return id, err
}

// packed encodes cells.
func packed(cells any) ([]byte, error) {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err == nil {
		err = json.NewEncoder(z).Encode(cells)
	}
	if err != nil {
		return nil, fmt.Errorf("encode cells: %w", err)
	}
	err = z.Close()
	return b.Bytes(), err
}

// unpack decodes cells into to.
func unpack(cells []byte, to any) error {
	z, err := zlib.NewReader(bytes.NewReader(cells))
	if err == nil {
		err = json.NewDecoder(z).Decode(to)
	}
	if err != nil {
		return fmt.Errorf("decode cells: %w", err)
	}
	return nil
}

// beyond selects the oldest steps (kind 0) and snapshots (kind 1), without which the others fit.
const beyond = `WITH sized AS (
		SELECT 0 AS kind, steps.id AS id, at, sum(length(cells)) AS size FROM steps JOIN edits ON edits.step = steps.id GROUP BY steps.id
		UNION ALL SELECT 1, id, at, length(cells) / count(*) OVER (PARTITION BY sum) FROM snapshots JOIN contents USING (sum)
	), beyond AS (
		SELECT kind, id FROM (SELECT kind, id, sum(size) OVER (ORDER BY at DESC, kind, id DESC) AS total FROM sized) WHERE total > ?
	) `

// trim deletes steps and snapshots that are too old, and the oldest while all are too large.
func trim(ctx context.Context, tx *sql.Tx, most int) error {
	old := time.Now().Add(-MaxAge).UnixMilli()
	for _, d := range []struct {
		statement string
		args      []any
	}{
		{`DELETE FROM steps WHERE at < ?`, []any{old}},
		{`DELETE FROM snapshots WHERE at < ?`, []any{old}},
		{`DELETE FROM looks WHERE at < ?`, []any{old}},
		{beyond + `DELETE FROM steps WHERE id IN (SELECT id FROM beyond WHERE kind = 0)`, []any{most}},
		{beyond + `DELETE FROM snapshots WHERE id IN (SELECT id FROM beyond WHERE kind = 1)`, []any{most}},
		{`DELETE FROM notebooks WHERE id NOT IN (SELECT notebook FROM steps UNION SELECT notebook FROM snapshots UNION SELECT notebook FROM looks)`, nil},
	} {
		if _, err := tx.ExecContext(ctx, d.statement, d.args...); err != nil {
			return err
		}
	}
	return nil
}
