package activity

import (
	"context"
	"database/sql"
)

// steps are the schema's migrations, see [sqlite.Open]. Times are milliseconds since 1970.
var steps = []string{
	`CREATE TABLE sessions (
		id      TEXT PRIMARY KEY,
		owner   TEXT NOT NULL,
		client  TEXT NOT NULL,
		started INTEGER NOT NULL,
		seen    INTEGER NOT NULL,
		ended   INTEGER NOT NULL DEFAULT 0,
		calls   INTEGER NOT NULL DEFAULT 0
	);
	CREATE TABLE files (
		session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
		path    TEXT NOT NULL,
		count   INTEGER NOT NULL,
		last    INTEGER NOT NULL,
		PRIMARY KEY (session, path)
	) WITHOUT ROWID;
	CREATE TABLE topics (
		session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
		nr      INTEGER NOT NULL,
		topic   TEXT NOT NULL,
		PRIMARY KEY (session, nr)
	) WITHOUT ROWID;
	CREATE TABLE discoveries (
		session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
		nr      INTEGER NOT NULL,
		text    TEXT NOT NULL,
		at      INTEGER NOT NULL,
		PRIMARY KEY (session, nr)
	) WITHOUT ROWID;`,

	`ALTER TABLE discoveries ADD COLUMN solution TEXT NOT NULL DEFAULT '';
	ALTER TABLE discoveries ADD COLUMN module TEXT NOT NULL DEFAULT '';
	CREATE INDEX sessions_by_owner ON sessions (owner, started);`,

	`CREATE TABLE runs (
		process TEXT NOT NULL,
		run     TEXT NOT NULL,
		number  INTEGER NOT NULL,
		file    TEXT NOT NULL,
		path    TEXT NOT NULL,
		cell    TEXT NOT NULL,
		owner   TEXT NOT NULL,
		client  TEXT NOT NULL,
		server  TEXT NOT NULL,
		kernel  TEXT NOT NULL,
		session TEXT NOT NULL,
		request TEXT NOT NULL,
		is_left INTEGER NOT NULL DEFAULT 0,
		at      INTEGER NOT NULL,
		PRIMARY KEY (process, run)
	) WITHOUT ROWID;
	CREATE INDEX runs_by_file ON runs (file);`,
}

// maxSessions is how many sessions a database keeps; the oldest go first.
const maxSessions = 5_000

// maxRuns is how many runs that were not taken up a database keeps; the oldest go first.
const maxRuns = 2_000

// trim deletes the oldest rows beyond the bounds.
func trim(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions ORDER BY started DESC LIMIT -1 OFFSET ?)", maxSessions); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE (process, run) IN (SELECT process, run FROM runs ORDER BY at DESC LIMIT -1 OFFSET ?)", maxRuns)
	return err
}
