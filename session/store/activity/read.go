package activity

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Recent are an owner's latest sessions of all processes, the latest begun first, at most limit of them.
func (s *Store) Recent(ctx context.Context, owner string, limit int) ([]Session, error) {
	list, err := s.read(ctx, owner, limit)
	if err != nil {
		return nil, fmt.Errorf("read the activity: %w", err)
	}
	// This process's current sessions are newer in memory, and may not be written yet.
	s.mu.Lock()
	for _, cur := range s.sessions {
		if cur.owner != owner {
			continue
		}
		snap := cur.snapshot()
		if i := slices.IndexFunc(list, func(o Session) bool { return o.ID == snap.ID }); i >= 0 {
			list[i] = snap
		} else {
			list = append(list, snap)
		}
	}
	s.mu.Unlock()
	slices.SortStableFunc(list, func(a, b Session) int { return b.Started.Compare(a.Started) })
	return list[:min(limit, len(list))], nil
}

func (s *Store) read(ctx context.Context, owner string, limit int) (list []Session, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, client, started, seen, ended, calls FROM sessions WHERE owner = ? ORDER BY started DESC LIMIT ?`, owner, limit)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for rows.Next() {
		r := Session{Owner: owner}
		var started, seen, ended int64
		if err := rows.Scan(&r.ID, &r.Client, &started, &seen, &ended, &r.ToolCalls); err != nil {
			_ = rows.Close()
			return nil, err
		}
		r.Started, r.Until = time.UnixMilli(started), time.UnixMilli(seen)
		switch {
		case ended != 0:
			r.Status, r.Until = Ended, time.UnixMilli(ended)
		case now.Sub(r.Until) > Silence:
			r.Status = Interrupted
		default:
			r.Status = Active
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i := range list {
		if err := s.details(ctx, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// details reads the lists of a session.
func (s *Store) details(ctx context.Context, r *Session) error {
	err := s.each(ctx, `SELECT path, count, last FROM files WHERE session = ?`, r.ID, func(scan func(...any) error) error {
		var f File
		var last int64
		if err := scan(&f.Path, &f.Count, &last); err != nil {
			return err
		}
		f.Last = time.UnixMilli(last)
		r.Files = append(r.Files, f)
		return nil
	})
	if err != nil {
		return err
	}
	r.sortFiles()
	err = s.each(ctx, `SELECT topic FROM topics WHERE session = ? ORDER BY nr`, r.ID, func(scan func(...any) error) error {
		var t string
		err := scan(&t)
		r.Topics = append(r.Topics, t)
		return err
	})
	if err != nil {
		return err
	}
	return s.each(ctx, `SELECT text, solution, module, at FROM discoveries WHERE session = ? ORDER BY nr`, r.ID, func(scan func(...any) error) error {
		var d Discovery
		var at int64
		err := scan(&d.Text, &d.Solution, &d.Module, &at)
		d.At = time.UnixMilli(at)
		r.Discoveries = append(r.Discoveries, d)
		return err
	})
}

// each calls fn for every row of a query about one session.
func (s *Store) each(ctx context.Context, query, id string, fn func(scan func(...any) error) error) error {
	rows, err := s.db.QueryContext(ctx, query, id)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
