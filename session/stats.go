package session

import (
	"github.com/nbduet/nbduet/session/kernel/run"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

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
