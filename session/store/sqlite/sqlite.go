// Package sqlite opens SQLite databases that several processes of one user may use, and that a killed process leaves intact.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	driver "modernc.org/sqlite" // registers itself as "sqlite"
	lib "modernc.org/sqlite/lib"
)

// Memory is the path of a database that ends with the process.
const Memory = ":memory:"

// Open opens the database at a path, or [Memory], and migrates it: step n of the steps migrates version n to version n+1, and
// an empty database has version 0. A released step never changes. The file and its folder are created for the user alone.
// last, which may be nil, runs in the same transaction.
func Open(ctx context.Context, path string, steps []string, last func(context.Context, *sql.Tx) error) (*sql.DB, error) {
	db, err := connect(path)
	if err != nil {
		return nil, err
	}
	if err := InTx(ctx, db, func(tx *sql.Tx) error {
		if err := migrate(ctx, tx, steps); err != nil || last == nil {
			return err
		}
		return last(ctx, tx)
	}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func connect(path string) (*sql.DB, error) {
	query := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}
	name := Memory
	if path != Memory {
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if err := private(full); err != nil {
			return nil, err
		}
		name = fileURL(runtime.GOOS, full)
	}
	db, err := sql.Open("sqlite", name+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection to :memory: would be a separate database
	return db, nil
}

// private creates the file, and its folder, for the user alone.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// fileURL returns SQLite's URL for the file at an absolute path on the system goos.
func fileURL(goos, path string) string {
	if goos == "windows" {
		path = strings.ReplaceAll(path, `\`, "/")
		if !strings.HasPrefix(path, "/") { // it begins with a drive
			path = "/" + path
		}
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}

// migrate migrates a database to the newest schema. Two processes may do so at once.
func migrate(ctx context.Context, tx *sql.Tx, steps []string) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(steps) {
		return fmt.Errorf("the database has version %d, but this nbduet knows only %d and older: use the newer nbduet that made it, or another file", version, len(steps))
	}
	for n := version; n < len(steps); n++ {
		if _, err := tx.ExecContext(ctx, steps[n]); err != nil {
			return fmt.Errorf("migrate the database to version %d: %w", n+1, err)
		}
	}
	// PRAGMA takes no parameters; the number is our own.
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps)))
	return err
}

// InTx runs f in a transaction, which takes the write lock at once.
func InTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Scan reads the columns of one row.
type Scan = func(columns ...any) error

// A Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each returns the results of read for the rows of a query.
func Each[T any](ctx context.Context, db Querier, read func(Scan) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		one, err := read(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Damaged reports whether an error means that a file is not a database, or is a damaged one.
func Damaged(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && (e.Code()&0xff == lib.SQLITE_CORRUPT || e.Code()&0xff == lib.SQLITE_NOTADB)
}
