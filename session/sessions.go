package session

import (
	"context"
	"slices"
	"sort"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
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

// Stats are counts of the contents of a [Manager], for monitoring. They name no owners.
type Stats struct {
	// Notebooks and Texts are the open documents, including those being opened.
	Notebooks, Texts int
	// Runs are the known runs by state; every state has an entry.
	Runs map[run.State]int
	// RunBytes is the size of the outputs of ended runs.
	RunBytes int
	// Analyses are the analysis sessions of all owners; their table fills it in.
	Analyses int
	// Kernels are the kernels started here with one owner: of analysis sessions without a notebook, and the helper
	// kernel.
	Kernels int
}

// Stats returns the current counts. It does not reset idle times or send requests.
func (m *Manager) Stats() Stats {
	s := Stats{Runs: map[run.State]int{run.Queued: 0, run.Running: 0, run.WaitingForInput: 0, run.Done: 0, run.Failed: 0, run.Interrupted: 0, run.Cancelled: 0, run.Lost: 0}}
	m.mu.Lock()
	for _, e := range m.open {
		if e.kind == notebookKind {
			s.Notebooks++
		} else {
			s.Texts++
		}
	}
	m.mu.Unlock()
	for _, r := range m.runs.Runs(jupyter.Path{}) {
		s.Runs[r.Status().State]++
	}
	s.RunBytes = m.runs.Bytes()
	s.Kernels = m.owners.Len()
	return s
}

// Notebooks lists the open notebooks by path. It neither pins them nor resets their idle time, so each may be evicted
// at any time; its last content can still be read then.
func (m *Manager) Notebooks() []*Document {
	docs := documents(m, func(e *entry) bool { return !e.going && e.kind == notebookKind })
	slices.SortFunc(docs, func(a, b *Document) int { return a.Path().Compare(b.Path()) })
	return docs
}

// Hold pins an open document until its Release is called, as [Manager.Open] does; false if it is no longer open.
func (d *Document) Hold() bool { return d.m.pin(d.entry) }

// OpenedAt returns when the document was opened here.
func (d *Document) OpenedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened
}

// ChangedAt returns when its content last changed, as seen here; the time of opening if it has not.
func (d *Document) ChangedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// HoldUnder pins the open documents whose path is wanted; release each of them.
func (m *Manager) HoldUnder(wanted func(path jupyter.Path) bool) []*Document {
	docs := documents(m, func(e *entry) bool { return wanted(e.path) })
	return slices.DeleteFunc(docs, func(d *Document) bool { return !d.Hold() })
}
