package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc"
)

// run sleeps until the next document is due, or until it is woken because something has changed.
func (j janitor) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		due, next := j.idle(time.Now())
		for _, e := range due {
			j.leaveLater(e, "idle for longer than the session timeout")
		}
		timer.Reset(next)
		select {
		case <-j.m.ctx.Done():
			return
		case <-j.wake:
		case <-timer.C:
		}
	}
}

// idle lists the entries that are due, and the time until the next one is.
func (j janitor) idle(now time.Time) (due []*entry, next time.Duration) {
	m := j.m
	m.mu.Lock()
	defer m.mu.Unlock()
	next = m.cfg.IdleTimeout
	for e, last := range j.unused() {
		if wait := m.cfg.IdleTimeout - now.Sub(last); wait <= 0 {
			due = append(due, e)
		} else if wait < next {
			next = wait
		}
	}
	return due, next
}

// unused returns the documents that are not in use, with the time of their last use. The end of a use wakes the janitor.
// The caller holds Manager.mu.
func (j janitor) unused() map[*entry]time.Time {
	unused := map[*entry]time.Time{}
	for _, e := range j.m.open {
		if e.doc == nil || e.going {
			continue
		}
		if last, busy := e.doc.lastUse(); !busy {
			unused[e] = last
		}
	}
	return unused
}

// makeRoom evicts the longest idle documents if too many are open. It never evicts a document in use: then the limit is
// exceeded for a while.
func (j janitor) makeRoom(newcomer *entry) {
	m := j.m
	m.mu.Lock()
	last := j.unused()
	excess := len(m.open) - m.cfg.MaxRooms
	m.mu.Unlock()
	if excess <= 0 {
		return
	}
	delete(last, newcomer)
	idle := slices.SortedFunc(maps.Keys(last), func(a, b *entry) int { return last[a].Compare(last[b]) })
	for _, e := range idle[:min(excess, len(idle))] {
		j.leaveLater(e, "closed because too many documents were open")
	}
}

// leaveLater evicts a document in the background.
func (j janitor) leaveLater(e *entry, why string) {
	m := j.m
	m.wg.Go(func() {
		ctx, stop := context.WithTimeout(m.ctx, leaveTimeout)
		defer stop()
		if err := j.putAway(ctx, e, why); err != nil {
			m.log.Warn("leaving an idle document failed", "path", e.doc.Path(), "error", err)
		}
	})
}

// putAway is [Manager.putAway], unless the document is in use again.
func (j janitor) putAway(ctx context.Context, e *entry, why string) error {
	m := j.m
	m.mu.Lock()
	if e.going || m.open[e.path] != e {
		m.mu.Unlock()
		return nil
	}
	if _, busy := e.doc.lastUse(); busy {
		m.mu.Unlock()
		return nil
	}
	e.going = true
	m.mu.Unlock()
	return m.leave(ctx, e, why)
}

// putAway leaves an entry's room even if it is in use. It first waits for a join in progress; if another goroutine is
// already leaving the room, it waits for that.
func (m *Manager) putAway(ctx context.Context, e *entry, why string) error {
	if err := wait(ctx, e.ready); err != nil {
		return err
	}
	if e.doc == nil {
		return nil // the join failed, and its callers got the error
	}
	m.mu.Lock()
	if e.going {
		m.mu.Unlock()
		if err := wait(ctx, e.gone); err != nil {
			return err
		}
		return e.left
	}
	e.going = true
	m.mu.Unlock()
	return m.leave(ctx, e, why)
}

// wait waits until a channel is closed.
func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave closes the document of an entry that is marked as going, and then removes it from the map.
func (m *Manager) leave(ctx context.Context, e *entry, why string) error {
	info := e.doc.info(time.Now())
	err := e.doc.close(ctx)
	info.Status, info.ExpiresIn = Disconnected, 0
	info.Message = "RTC session ended: " + why
	if err != nil {
		info.Message += " (" + err.Error() + ")"
	}
	if info.Lost = e.doc.saver.Lost(); info.Lost != "" {
		info.Message += "; confirmed edits may be lost: " + info.Lost
	}
	m.mu.Lock()
	delete(m.open, e.path)
	m.ended.Add(e.path, info)
	m.mu.Unlock()
	e.left = err
	close(e.gone)
	m.Presence.lobby.Closed(ctx, info.Path)
	m.tell(Event{Kind: Closed, Document: e.doc})
	m.log.Info("document left", "path", info.Path, "why", why)
	return err
}

// info describes an open document.
func (d *Document) info(now time.Time) Info {
	lv := d.current()
	last, busy := d.lastUse()
	i := Info{
		Path: d.Path(), Notebook: lv.nb != nil, Status: Connected, LastActivity: last,
		Unsaved: d.Unsaved(), Message: "RTC session is active",
	}
	i.SessionID, i.FileID = lv.room.SessionID(), lv.room.FileID()
	if lv.nb != nil {
		i.Cells = lv.nb.Len()
	}
	if note := d.m.tabs.note(); note != "" {
		i.Message += "; " + note
	}
	if st := lv.room.State(); st != rtc.Synced {
		i.Status = Away
		i.Message = "RTC session is " + st.String() + "; it is rejoined automatically"
	}
	if i.Busy = busy; !busy {
		i.ExpiresIn = max(0, d.m.cfg.IdleTimeout-now.Sub(last))
	}
	return i
}

// drop closes a document whose room cannot be joined again.
func (m *Manager) drop(e *entry, why string) {
	m.wg.Go(func() {
		// The room has ended: nothing can be saved or left, so errors are ignored.
		_ = m.putAway(m.ctx, e, why)
	})
}

// Drop closes the document, for a reason that leaves nothing to save.
func (d *Document) Drop(why string) { d.m.drop(d.entry, why) }
