package activity

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/store/sqlite"
)

// Runs keeps the runs of this process in the database, so that another process can take them up after its end, see
// [run.Ledger]. Unlike activity, runs are written at once: a killed process leaves them all.
type Runs struct {
	db      *sql.DB
	process string // its id
	dir     string // of the locks; "" if the database is in memory

	mu   sync.Mutex
	lock *lock // held while this process lives; nil before the first run
}

var _ run.Ledger = (*Runs)(nil)

// Runs returns the runs of the database.
func (s *Store) Runs() *Runs { return s.runs }

// Keep implements [run.Ledger].
func (r *Runs) Keep(ctx context.Context, records ...run.Record) error {
	if err := r.live(); err != nil {
		return err
	}
	return r.write(ctx, "keep", func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO runs
			(process, run, number, file, path, cell, owner, client, server, kernel, session, request, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer put.Close()
		for _, rec := range records {
			m := rec.Mark
			if _, err := put.ExecContext(ctx, r.process, rec.Run, rec.Number, rec.File, rec.Path.String(), rec.Cell, rec.Owner,
				strconv.FormatUint(rec.Client, 10), m.Server, m.Kernel, m.Session, m.Request, time.Now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop implements [run.Ledger].
func (r *Runs) Drop(ctx context.Context, runs ...string) error {
	return r.each(ctx, "drop", runs, "DELETE FROM runs WHERE process = ? AND run = ?")
}

// Leave implements [run.Ledger].
func (r *Runs) Leave(ctx context.Context, runs ...string) error {
	return r.each(ctx, "leave", runs, "UPDATE runs SET is_left = 1 WHERE process = ? AND run = ?")
}

func (r *Runs) each(ctx context.Context, what string, runs []string, statement string) error {
	return r.write(ctx, what, func(tx *sql.Tx) error {
		for _, id := range runs {
			if _, err := tx.ExecContext(ctx, statement, r.process, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Take implements [run.Ledger].
func (r *Runs) Take(ctx context.Context, file string) (out []run.Record, err error) {
	err = r.write(ctx, "take", func(tx *sql.Tx) error {
		rows, err := r.read(ctx, tx, "file = ? ORDER BY number", file)
		if err != nil {
			return err
		}
		free := r.free()
		for _, row := range rows {
			if !free(row) {
				continue
			}
			out = append(out, row.Record)
			if _, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE process = ? AND run = ?", row.process, row.Run); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// Find implements [run.Ledger].
func (r *Runs) Find(ctx context.Context, id string) (found run.Record, ok bool, err error) {
	err = r.write(ctx, "find", func(tx *sql.Tx) error {
		rows, err := r.read(ctx, tx, "run = ? ORDER BY at DESC", id)
		if err != nil {
			return err
		}
		free := r.free()
		for _, row := range rows {
			if ok = free(row); ok {
				found = row.Record
				return nil
			}
		}
		return nil
	})
	return found, ok, err
}

// Last implements [run.Ledger].
func (r *Runs) Last(ctx context.Context) (last int, err error) {
	if err = r.db.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM runs").Scan(&last); err != nil {
		return 0, fmt.Errorf("read the runs: %w", err)
	}
	return last, nil
}

// keptRun is a row of the table runs.
type keptRun struct {
	run.Record
	process string
	left    bool
}

func (r *Runs) read(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]keptRun, error) {
	return sqlite.Each(ctx, tx, func(scan sqlite.Scan) (k keptRun, err error) {
		var client, path string
		if err := scan(&k.process, &k.Run, &k.Number, &k.File, &path, &k.Cell, &k.Owner, &client,
			&k.Mark.Server, &k.Mark.Kernel, &k.Mark.Session, &k.Mark.Request, &k.left); err != nil {
			return k, err
		}
		if k.Path, err = jupyter.ParsePath(path); err != nil {
			return k, err
		}
		k.Client, err = strconv.ParseUint(client, 10, 64)
		return k, err
	}, `SELECT process, run, number, file, path, cell, owner, client, server, kernel, session, request, is_left
		FROM runs WHERE `+where, args...)
}

// free returns a function that reports whether any process may take a row's run up. It checks each process once.
func (r *Runs) free() func(keptRun) bool {
	ended := map[string]bool{r.process: false}
	return func(k keptRun) bool {
		if k.left {
			return true
		}
		gone, known := ended[k.process]
		if !known {
			gone = r.dir != "" && !alive(r.dir, k.process)
			ended[k.process] = gone
		}
		return gone
	}
}

func (r *Runs) write(ctx context.Context, what string, f func(*sql.Tx) error) error {
	if err := sqlite.InTx(ctx, r.db, f); err != nil {
		return fmt.Errorf("%s runs in the database: %w", what, err)
	}
	return nil
}

// live shows other processes that this one is alive.
func (r *Runs) live() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" || r.lock != nil {
		return nil
	}
	l, err := hold(r.dir, r.process)
	if err != nil {
		return fmt.Errorf("lock the runs of this process: %w", err)
	}
	r.lock = l
	return nil
}

func (r *Runs) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lock != nil {
		r.lock.release()
		r.lock = nil
	}
}
