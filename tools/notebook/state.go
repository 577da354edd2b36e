package notebook

import run0 "github.com/nbduet/nbduet/session/kernel/run"

// RunStates returns the states of a run, as answers name them.
func RunStates() []string {
	return []string{
		string(run0.Queued), string(run0.Running), string(run0.WaitingForInput), string(run0.Done), string(run0.Failed),
		string(run0.Interrupted), string(run0.Cancelled), string(run0.Lost),
	}
}
