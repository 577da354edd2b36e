package session

import "github.com/nbduet/nbduet/session/run"

// Stats are figures of what a [Manager] holds at one moment, for those who watch over it. Nothing in them says whose it is.
type Stats struct {
	// Notebooks and Texts are the documents that are open, those being opened included.
	Notebooks, Texts int
	// Runs are those that are remembered, by their states, each of which is there.
	Runs map[run.State]int
	// RunBytes is what the outputs of ended runs take.
	RunBytes int
	// Analyses are the analysis sessions of all owners; whoever has them counts them in.
	Analyses int
	// Kernels are those that were started here and are somebody's alone: of analysis sessions without a notebook, and the
	// one in which files are read.
	Kernels int
}

// Stats counts. It touches no idle clock and asks no server.
func (m *Manager) Stats() Stats {
	s := Stats{Runs: map[run.State]int{run.Queued: 0, run.Running: 0, run.Done: 0, run.Failed: 0, run.Interrupted: 0, run.Cancelled: 0, run.Lost: 0}}
	m.mu.Lock()
	for _, e := range m.open {
		if e.kind == notebookKind {
			s.Notebooks++
		} else {
			s.Texts++
		}
	}
	m.mu.Unlock()
	for _, r := range m.runs.Runs("") {
		s.Runs[r.Status().State]++
	}
	s.RunBytes = m.runs.Bytes()
	s.Kernels = m.owners.Len()
	return s
}
