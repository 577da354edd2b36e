package waiting

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/tool"
)

// Waits is how calls wait.
type Waits struct {
	// AnswerWithin is how long a call waits for code if it does not say how long, and its client does not hear of the
	// progress, and how long it waits until people pause who are typing; 0 for no limit. Hosts give up on silent calls after
	// a minute.
	AnswerWithin time.Duration
	// AgentPasswords lets a model answer the passwords that code asks for; else a person has to.
	AgentPasswords bool
}

// Hold is how long a call waits for code: as long as it said, or as is usual if its client hears from it meanwhile. What it
// has waited for people is part of AnswerWithin, but for a second.
func (w Waits) Hold(ctx context.Context, said bool, wait time.Duration) time.Duration {
	if said || w.AnswerWithin == 0 || tool.HearsProgress(ctx) {
		return wait
	}
	return min(wait, max(time.Second, w.AnswerWithin-editguard.Waited(ctx)))
}
