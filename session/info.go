package session

import (
	"context"
	"sort"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// The states that Info.Status can have.
const (
	Connected    = "connected"
	Disconnected = "disconnected"
)

// Info is what is known of one document's session, open or ended.
type Info struct {
	Path         string
	Notebook     bool   // a notebook, else a text
	SessionID    string // the server's collaboration session
	FileID       string
	Status       string // Connected or Disconnected
	Cells        int
	LastActivity time.Time     // the last call that used the document
	ExpiresIn    time.Duration // until it is evicted; 0 while it is busy or when it has ended
	Busy         bool          // in use by a call or a run
	Unsaved      string        // why the file does not follow the document; "" while it does
	Message      string        // one sentence for people
}

// Sessions lists the documents under the folder root ("" for all): those that
// are open, and those that were open lately, by path.
func (m *Manager) Sessions(root string) ([]Info, error) {
	root, err := jupyter.CleanPath(root)
	if err != nil {
		return nil, err
	}
	var infos []Info
	var docs []*Document
	m.mu.Lock()
	for _, e := range m.open {
		if e.doc != nil && jupyter.Under(e.path, root) {
			docs = append(docs, e.doc)
		}
	}
	for _, i := range m.ended.Values() {
		if _, open := m.open[i.Path]; !open && jupyter.Under(i.Path, root) {
			infos = append(infos, i)
		}
	}
	m.mu.Unlock()
	for _, d := range docs {
		infos = append(infos, d.info(time.Now()))
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Path < infos[j].Path })
	return infos, nil
}

// End leaves a document's room now. It reports false where there was no open
// document of that path. A run that goes on keeps running in the kernel; what
// it still says is no longer written.
func (m *Manager) End(ctx context.Context, path string) (Info, bool, error) {
	path, err := jupyter.CleanPath(path)
	if err != nil {
		return Info{}, false, err
	}
	m.mu.Lock()
	e := m.open[path]
	m.mu.Unlock()
	if e == nil {
		m.mu.Lock()
		info, ok := m.ended.Get(path)
		m.mu.Unlock()
		return info, ok, nil
	}
	ctx, stop := context.WithTimeout(ctx, leaveTimeout)
	defer stop()
	err = m.putAway(ctx, e, "ended on request")
	m.mu.Lock()
	info, ok := m.ended.Get(path)
	m.mu.Unlock()
	return info, ok, err
}

// info describes an open document.
func (d *Document) info(now time.Time) Info {
	lv := d.current()
	i := Info{
		Path: d.Path(), Notebook: lv.nb != nil, Status: Connected, LastActivity: d.lastUse(),
		Unsaved: d.Unsaved(), Message: "RTC session is active",
	}
	i.SessionID, i.FileID = lv.room.SessionID(), lv.room.FileID()
	if lv.nb != nil {
		i.Cells = lv.nb.Len()
	}
	if st := lv.room.State(); st != rtc.Synced {
		i.Status = Disconnected
		i.Message = "RTC session is " + st.String() + "; it is joined again by itself"
	}
	idle, busy := d.idleFor(now)
	if i.Busy = busy; !busy {
		i.ExpiresIn = max(0, d.m.cfg.IdleTimeout-idle)
	}
	return i
}
