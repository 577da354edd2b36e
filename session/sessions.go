package session

import (
	"context"
	"sort"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Sessions lists the documents under the folder root ("" for all) that are, or recently were, open, by path.
func (m *Manager) Sessions(root jupyter.Path) []Info {
	var infos []Info
	var docs []*Document
	going := map[*Document]bool{}
	m.mu.Lock()
	for _, e := range m.open {
		if e.doc != nil && e.path.Under(root) {
			docs, going[e.doc] = append(docs, e.doc), e.going
		}
	}
	for _, i := range m.ended.Values() {
		if _, open := m.open[i.Path]; !open && i.Path.Under(root) {
			infos = append(infos, i)
		}
	}
	m.mu.Unlock()
	for _, d := range docs {
		i := d.info(time.Now())
		if going[d] {
			i.Status, i.Message = Away, "RTC session is ending"
		}
		infos = append(infos, i)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Path.Compare(infos[j].Path) < 0 })
	return infos
}

// End leaves a document's room now. It returns false if the document is neither open nor recently ended. A current run
// continues in the kernel, but its further output is not written.
func (m *Manager) End(ctx context.Context, path jupyter.Path) (Info, bool, error) {
	m.mu.Lock()
	e := m.open[path]
	m.mu.Unlock()
	var err error
	if e != nil {
		ctx, stop := context.WithTimeout(ctx, m.leavable(ctx))
		defer stop()
		err = m.putAway(ctx, e, "ended on request")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	info, ok := m.ended.Get(path)
	return info, ok, err
}

// leaveAway is leaveTimeout for a server that is away: leaving cannot do anything then.
const leaveAway = time.Second

// leavable returns how long leaving a room may take while a caller waits for it.
func (m *Manager) leavable(ctx context.Context) time.Duration {
	if m.cfg.Server != nil {
		if _, why := m.cfg.Server.Health.StillAway(ctx); why != nil {
			return leaveAway
		}
	}
	return leaveTimeout
}
