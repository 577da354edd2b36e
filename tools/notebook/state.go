package notebook

import "github.com/nbduet/nbduet/session"

// RunStates are the states of a run, as answers name them.
func RunStates() []string {
	return []string{
		string(session.Queued), string(session.Running), string(session.Done), string(session.Failed),
		string(session.Interrupted), string(session.Cancelled), string(session.Lost),
	}
}
