package waiting

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/tool"
)

// Waits has the settings of waiting calls.
type Waits struct {
	// AnswerWithin limits how long a call without a timeout waits for code if its client receives no progress, and how long
	// it waits until people who are typing pause; 0 for no limit. Hosts give up on silent calls after a minute.
	AnswerWithin time.Duration
	// AgentPasswords lets a model answer the passwords that code asks for; otherwise a person must.
	AgentPasswords bool
}

// Hold returns how long a call waits for code: as long as it said, or the usual time if its client receives progress. The
// time spent waiting for people counts toward AnswerWithin, but at least a second remains.
func (w Waits) Hold(ctx context.Context, said bool, wait time.Duration) time.Duration {
	if said || w.AnswerWithin == 0 || tool.HearsProgress(ctx) {
		return wait
	}
	return min(wait, max(time.Second, w.AnswerWithin-editguard.Waited(ctx)))
}
