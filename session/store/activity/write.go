package activity

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/store/sqlite"
)

// heartbeat updates the time of every current session in the database.
func (s *Store) heartbeat(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cur := range s.sessions {
		cur.seen, cur.fresh = now, true
	}
}

// A change is the unwritten part of one session.
type change struct {
	of            *current
	row           Session
	files         []File
	topics, finds int // how many were written before
}

// changes takes the unwritten parts of all sessions; call [Store.markWritten] afterwards.
func (s *Store) changes() []change {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []change
	for _, cur := range slices.Concat(slices.Collect(maps.Values(s.sessions)), s.ended) {
		if !cur.fresh {
			continue
		}
		c := change{of: cur, row: cur.snapshot(), topics: cur.wroteTopics, finds: cur.wroteFinds}
		for path := range cur.dirty {
			c.files = append(c.files, *cur.files[path])
		}
		cur.fresh, cur.dirty = false, make(map[string]bool)
		cur.wroteTopics, cur.wroteFinds = len(cur.topics), len(cur.discoveries)
		out = append(out, c)
	}
	return out
}

// markWritten notes whether changes were written; if not, they are taken again.
func (s *Store) markWritten(list []change, written bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !written {
		for _, c := range list {
			c.of.fresh = true
			for _, f := range c.files {
				c.of.dirty[f.Path] = true
			}
			// A later change may have been taken meanwhile; writing rows twice does no harm.
			c.of.wroteTopics, c.of.wroteFinds = min(c.of.wroteTopics, c.topics), min(c.of.wroteFinds, c.finds)
		}
		if n := len(s.ended) - maxCurrent; n > 0 {
			s.ended = s.ended[n:] // with a full disk not everything can be kept
		}
		return
	}
	s.ended = slices.DeleteFunc(s.ended, func(cur *current) bool { return !cur.fresh })
}

// flush writes all changes, or none.
func (s *Store) flush(ctx context.Context) error {
	list := s.changes()
	if len(list) == 0 {
		return nil
	}
	err := sqlite.InTx(ctx, s.db, func(tx *sql.Tx) error {
		for _, c := range list {
			if err := c.put(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	s.markWritten(list, err == nil)
	return err
}

func (c *change) put(ctx context.Context, tx *sql.Tx) error {
	r, ended := &c.row, int64(0)
	if r.Status == Ended {
		ended = r.Until.UnixMilli()
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, owner, client, started, seen, ended, calls) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET client = excluded.client, seen = excluded.seen, ended = excluded.ended, calls = excluded.calls`,
		r.ID, r.Owner, r.Client, r.Started.UnixMilli(), r.Until.UnixMilli(), ended, r.ToolCalls); err != nil {
		return err
	}
	for _, f := range c.files {
		if _, err := tx.ExecContext(ctx, `INSERT INTO files (session, path, count, last) VALUES (?, ?, ?, ?)
			ON CONFLICT (session, path) DO UPDATE SET count = excluded.count, last = excluded.last`,
			r.ID, f.Path, f.Count, f.Last.UnixMilli()); err != nil {
			return err
		}
	}
	for i := c.topics; i < len(r.Topics); i++ {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO topics (session, nr, topic) VALUES (?, ?, ?)`, r.ID, i, r.Topics[i]); err != nil {
			return err
		}
	}
	for i := c.finds; i < len(r.Discoveries); i++ {
		d := r.Discoveries[i]
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO discoveries (session, nr, text, solution, module, at) VALUES (?, ?, ?, ?, ?, ?)`,
			r.ID, i, d.Text, d.Solution, d.Module, d.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}
