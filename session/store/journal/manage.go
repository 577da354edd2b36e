package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/nbduet/nbduet/session/store/sqlite"
)

// Notebook summarizes the steps of a notebook.
type Notebook struct {
	Server, Path string
	Steps        int
	First, Last  time.Time

	id int64
}

// List returns the notebooks in the journal at a path, the last changed first. A missing file has none.
func List(ctx context.Context, path string) (all []Notebook, err error) {
	err = opened(ctx, path, func(db *sql.DB) error {
		all, err = sqlite.Each(ctx, db, func(scan sqlite.Scan) (n Notebook, err error) {
			var first, last int64
			err = scan(&n.id, &n.Server, &n.Path, &n.Steps, &first, &last)
			n.First, n.Last = time.UnixMilli(first), time.UnixMilli(last)
			return n, err
		}, `SELECT notebooks.id, server, path, count(step), min(at), max(at)
			FROM notebooks JOIN (SELECT notebook, step, at FROM steps UNION ALL SELECT notebook, NULL, at FROM snapshots) ON notebook = notebooks.id
			GROUP BY notebooks.id ORDER BY max(at) DESC`)
		return err
	})
	return all, err
}

// Remove removes the steps of notebooks from the journal at a path, and their texts from its file.
func Remove(ctx context.Context, path string, notebooks []Notebook) error {
	return opened(ctx, path, func(db *sql.DB) error {
		for _, n := range notebooks {
			if _, err := db.ExecContext(ctx, `DELETE FROM notebooks WHERE id = ?`, n.id); err != nil {
				return err
			}
		}
		_, err := db.ExecContext(ctx, `VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
		return err
	})
}

// opened calls f with the database at a path, if it exists.
func opened(ctx context.Context, path string, f func(*sql.DB) error) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := sqlite.Open(ctx, path, steps, nil)
	if err == nil {
		err = errors.Join(f(db), db.Close())
	}
	if err != nil {
		return fmt.Errorf("open the journal %s: %w", path, err)
	}
	return nil
}
