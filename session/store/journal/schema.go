package journal

import (
	"bytes"
	"compress/zlib"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

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
	) WITHOUT ROWID;`,
}

// put writes the change.
func (c change) put(ctx context.Context, tx *sql.Tx) error {
	if c.edits == nil {
		undone := int64(0)
		if c.step.Undone {
			undone = c.at.UnixNano()
		}
		_, err := tx.ExecContext(ctx, `UPDATE steps SET undone = ? WHERE step = ?`, undone, c.step.ID)
		return err
	}
	var notebook, step int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO notebooks (server, file, path) VALUES (?, ?, ?)
		ON CONFLICT (server, file) DO UPDATE SET path = excluded.path RETURNING id`, c.place.Server, c.place.File, c.place.Path).Scan(&notebook); err != nil {
		return err
	}
	// After a new edit, the undone ones can no longer be redone.
	if _, err := tx.ExecContext(ctx, `DELETE FROM steps WHERE notebook = ? AND owner = ? AND undone != 0`, notebook, c.author.Owner); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `INSERT INTO steps (step, notebook, owner, tool, reason, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (step) DO UPDATE SET at = excluded.at RETURNING id`,
		c.step.ID, notebook, c.author.Owner, c.step.Tool, c.step.Reason, c.step.At.UnixMilli()).Scan(&step); err != nil {
		return err
	}
	cells, err := packed(c.edits)
	if err != nil { // the metadata have a NaN
		for _, e := range c.edits {
			if e.Before != nil {
				e.Before.Metadata = nil
			}
		}
		if cells, err = packed(c.edits); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO edits (step, nr, cells) SELECT ?, coalesce(max(nr), 0) + 1, ? FROM edits WHERE step = ?`, step, cells, step)
	return err
}

// packed encodes edits.
func packed(edits []ydoc.CellEdit) ([]byte, error) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(edits); err != nil {
		return nil, fmt.Errorf("encode an edit: %w", err)
	}
	err := z.Close()
	return b.Bytes(), err
}

// unpacked decodes edits.
func unpacked(cells []byte) (edits []ydoc.CellEdit, err error) {
	z, err := zlib.NewReader(bytes.NewReader(cells))
	if err == nil {
		err = json.NewDecoder(z).Decode(&edits)
	}
	if err != nil {
		return nil, fmt.Errorf("decode an edit: %w", err)
	}
	return edits, nil
}

// trim deletes the steps that are too old, and the oldest while all are too large.
func trim(ctx context.Context, tx *sql.Tx, most int) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM steps WHERE at < ?`, time.Now().Add(-MaxAge).UnixMilli()); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM steps WHERE id IN (SELECT id FROM (
			SELECT steps.id, sum(sum(length(cells))) OVER (ORDER BY at DESC, steps.id DESC) AS total
			FROM steps JOIN edits ON edits.step = steps.id GROUP BY steps.id
		) WHERE total > ?)`, most)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM notebooks WHERE id NOT IN (SELECT notebook FROM steps)`)
	return err
}
