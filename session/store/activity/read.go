package activity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/store/sqlite"
)

// Recent returns an owner's latest sessions of all processes, the latest begun first, at most limit of them.
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
	now := time.Now()
	list, err = sqlite.Each(ctx, s.db, func(scan sqlite.Scan) (Session, error) {
		r := Session{Owner: owner}
		var started, seen, ended int64
		err := scan(&r.ID, &r.Client, &started, &seen, &ended, &r.ToolCalls)
		r.Started, r.Until = time.UnixMilli(started), time.UnixMilli(seen)
		switch {
		case ended != 0:
			r.Status, r.Until = Ended, time.UnixMilli(ended)
		case now.Sub(r.Until) > Silence:
			r.Status = Interrupted
		default:
			r.Status = Active
		}
		return r, err
	}, `SELECT id, client, started, seen, ended, calls FROM sessions WHERE owner = ? ORDER BY started DESC LIMIT ?`, owner, limit)
	if err != nil {
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
func (s *Store) details(ctx context.Context, r *Session) (err error) {
	r.Files, err = sqlite.Each(ctx, s.db, func(scan sqlite.Scan) (f File, err error) {
		var last int64
		err = scan(&f.Path, &f.Count, &last)
		f.Last = time.UnixMilli(last)
		return f, err
	}, `SELECT path, count, last FROM files WHERE session = ?`, r.ID)
	if err != nil {
		return err
	}
	r.sortFiles()
	r.Topics, err = sqlite.Each(ctx, s.db, func(scan sqlite.Scan) (t string, err error) {
		err = scan(&t)
		return t, err
	}, `SELECT topic FROM topics WHERE session = ? ORDER BY nr`, r.ID)
	if err != nil {
		return err
	}
	r.Discoveries, err = sqlite.Each(ctx, s.db, func(scan sqlite.Scan) (d Discovery, err error) {
		var at int64
		err = scan(&d.Text, &d.Solution, &d.Module, &at)
		d.At = time.UnixMilli(at)
		return d, err
	}, `SELECT text, solution, module, at FROM discoveries WHERE session = ? ORDER BY nr`, r.ID)
	return err
}
