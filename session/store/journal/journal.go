package journal

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/store/sqlite"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// MaxAge is how long steps are kept.
	MaxAge = 30 * 24 * time.Hour
	// MaxBytes bounds the steps of all notebooks, compressed.
	MaxBytes = 200 << 20
	// maxMemory bounds them in memory.
	maxMemory = 20 << 20
	// maxStep bounds the texts of one change; a larger one is not kept.
	maxStep = 16 << 20
	// maxQueued bounds the texts that wait for the disk. Beyond it the oldest are dropped.
	maxQueued = 64 << 20
	// partLen is how many changes are written at once.
	partLen = 200
)

// Options say where to keep the steps.
type Options struct {
	// Path is the database file, see [Beside], or [sqlite.Memory].
	Path string
	// Logger gets the reason if the database cannot be used; nil logs nothing.
	Logger *slog.Logger
}

// Beside returns the path of the journal for a record of activity at a path.
func Beside(activity string) string {
	if activity == sqlite.Memory {
		return activity
	}
	return strings.TrimSuffix(activity, ".db") + ".journal.db"
}

// Journal keeps the steps. Make it with [New].
type Journal struct {
	opt    Options
	log    *slog.Logger
	prefix string

	mu     sync.Mutex // guards the queue
	queue  []change
	queued int // the bytes of the queue, and of the part that is being written

	writing sync.Mutex // held while the database is used; guards db and trimmed
	db      *sql.DB
	trimmed time.Time

	writer *sqlite.Writer
}

var _ undo.Journal = (*Journal)(nil)

// A change waits to be written: a new edit of a step, a step that was undone or redone, or a snapshot.
type change struct {
	size int // of its texts, in bytes
	put  func(context.Context, *sql.Tx) error
}

// New returns a journal. It opens the database when it first needs it. The caller closes the journal.
func New(opt Options) *Journal {
	j := &Journal{opt: opt, log: cmp.Or(opt.Logger, slog.New(slog.DiscardHandler))}
	j.prefix = "s" + strings.ToLower(rand.Text()[:4]) + "-"
	j.writer = &sqlite.Writer{
		Flush: j.flush,
		// The path is in the message, because the path of the user's state is not part of a call's content.
		Failed: func(err error) {
			j.log.Warn("edits can be undone only as long as the notebook is open, because the journal cannot be used: " + err.Error())
		},
		Works: func() { j.log.Info("the journal can be used again") },
	}
	j.writer.Start()
	return j
}

// Prefix implements [undo.Journal].
func (j *Journal) Prefix() string { return j.prefix }

// Add implements [undo.Journal].
func (j *Journal) Add(in undo.Place, a origin.Author, step undo.Step, edits []ydoc.CellEdit) {
	j.enqueue(lo.SumBy(edits, ydoc.CellEdit.Bytes), func(ctx context.Context, tx *sql.Tx) error {
		return putEdits(ctx, tx, in, a, step, edits)
	})
}

// Mark implements [undo.Journal].
func (j *Journal) Mark(step string, undone bool) {
	at := int64(0)
	if undone {
		at = time.Now().UnixNano()
	}
	j.enqueue(0, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE steps SET undone = ? WHERE step = ?`, at, step)
		return err
	})
}

// enqueue adds a change to the queue, unless it is too large.
func (j *Journal) enqueue(size int, put func(context.Context, *sql.Tx) error) {
	if size > maxStep {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue, j.queued = append(j.queue, change{size, put}), j.queued+size
	for j.queued > maxQueued {
		j.queued -= j.queue[0].size
		j.queue = j.queue[1:]
	}
	j.writer.Wake()
}

// waits reports whether changes wait to be written. A program that edits no notebook makes no file.
func (j *Journal) waits() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.queue) > 0
}

// flush writes the queue, a part at a time. If ctx ends, the written parts stay.
func (j *Journal) flush(ctx context.Context) error {
	return j.use(ctx, func(db *sql.DB) (err error) {
		for err == nil && j.waits() {
			j.mu.Lock()
			list := j.queue[:min(partLen, len(j.queue))]
			j.queue = j.queue[len(list):]
			j.mu.Unlock()
			err = sqlite.InTx(ctx, db, func(tx *sql.Tx) error { return j.put(ctx, tx, list) })
			j.mu.Lock()
			if err != nil {
				j.queue = slices.Concat(list, j.queue)
			} else {
				j.queued -= lo.SumBy(list, func(c change) int { return c.size })
			}
			j.mu.Unlock()
		}
		return err
	})
}

// put writes changes, and trims the database once an hour.
func (j *Journal) put(ctx context.Context, tx *sql.Tx, list []change) error {
	for _, c := range list {
		if err := c.put(ctx, tx); err != nil {
			return err
		}
	}
	if time.Since(j.trimmed) < time.Hour {
		return nil
	}
	j.trimmed = time.Now()
	if j.opt.Path == sqlite.Memory {
		return trim(ctx, tx, maxMemory)
	}
	return trim(ctx, tx, MaxBytes)
}

// use calls f with the database, which it opens first. If the database is damaged, it is renamed, and f gets a new one.
func (j *Journal) use(ctx context.Context, f func(*sql.DB) error) (err error) {
	j.writing.Lock()
	defer j.writing.Unlock()
	for again := true; ; again = false {
		if j.db == nil {
			if j.db, err = sqlite.Open(ctx, j.opt.Path, steps, nil); err != nil {
				err = fmt.Errorf("open the journal %s: %w", j.opt.Path, err)
			}
		}
		if err == nil {
			err = f(j.db)
		}
		if !again || !sqlite.Damaged(err) {
			return err
		}
		if err = j.setAside(); err != nil {
			return fmt.Errorf("set the damaged journal %s aside: %w", j.opt.Path, err)
		}
	}
}

// setAside renames a damaged database. The caller holds j.writing.
func (j *Journal) setAside() error {
	if j.db != nil {
		_ = j.db.Close() // it is damaged
		j.db = nil
	}
	aside := fmt.Sprintf("%s.damaged-%s", j.opt.Path, time.Now().Format("20060102-150405"))
	if err := os.Rename(j.opt.Path, aside); err != nil {
		return err
	}
	for _, part := range []string{"-wal", "-shm"} {
		_ = os.Remove(j.opt.Path + part) // belongs to the renamed one
	}
	j.log.Warn("the journal of edits is damaged: it was renamed to " + aside + ", and a new one begins")
	return nil
}

// closeTimeout bounds the last write: a shutdown has used up its time where the Jupyter server is away.
const closeTimeout = 2 * time.Second

// Close writes the rest, and closes the database.
func (j *Journal) Close(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	j.writer.Stop()
	var err error
	if j.waits() {
		if err = j.flush(ctx); err != nil {
			err = fmt.Errorf("write the last edits: %w", err)
		}
	}
	if j.db != nil {
		err = errors.Join(err, j.db.Close())
	}
	return err
}
