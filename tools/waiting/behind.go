package waiting

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Behind is the run that a queued run waits for, in the answer of a tool.
type Behind struct {
	RunID   string  `json:"run_id,omitempty" jsonschema:"Absent if another client started it."`
	CellID  string  `json:"cell_id,omitempty"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds" jsonschema:"Its duration so far."`

	says string
}

// Says returns this in a sentence, with the caller's options; "" for a nil Behind.
func (b *Behind) Says() string {
	if b == nil {
		return ""
	}
	return b.says
}

// Behind returns the run that a run is queued behind; nil if none is known.
func (w Waits) Behind(ctx context.Context, r *run.Run) *Behind {
	ahead, _ := r.Ahead()
	if ahead == nil {
		return nil
	}
	now := ahead.Status()
	if now.State.Ended() {
		return nil
	}
	b := &Behind{CellID: ahead.CellID, State: string(now.State)}
	var took time.Duration
	if !now.Started.IsZero() {
		took = time.Since(now.Started)
		b.Seconds = took.Round(time.Millisecond).Seconds()
	}
	if b.says = "queued behind "; Visible(ctx, ahead.Owner, ahead.TakenUp()) {
		b.RunID = ahead.ID
		b.says += ahead.ID
	} else {
		b.says += "a run of another client"
	}
	if ahead.CellID != "" {
		b.says += " of cell " + textfmt.Quoted(ahead.CellID)
	}
	switch {
	case b.RunID == "" && now.Asking != nil:
		b.says += ": it waits for input"
	case now.Asking != nil:
		b.says += ": " + w.HowToAnswer(ahead.ID, now)
	default:
		b.says += ", which " + tookWords(now, took)
		if b.RunID != "" {
			b.says += textfmt.Hint(fmt.Sprintf(": wait_run with run_id %q waits for it", ahead.ID)) + textfmt.Hint(", cancel_run stops it")
		}
	}
	return b
}

// tookWords says how long a run has taken so far.
func tookWords(now run.Result, took time.Duration) string {
	said := took.Round(100 * time.Millisecond).String()
	if took >= 10*time.Second {
		said = took.Round(time.Second).String()
	}
	if why := NotBegun(now); why != "" {
		return "has waited in the kernel for " + said + ": " + why
	}
	return "has run for " + said
}

// NotBegun says why a run has not begun long after its turn came; "" if it has.
func NotBegun(now run.Result) string {
	if now.State != run.Running || now.Begun || time.Since(now.Started) < LongAhead {
		return ""
	}
	return "the kernel is busy with another client's code, or starting" + textfmt.Hint("; cancel_run with path and user_asked true stops another's cell, if your user asks for it")
}

// Visible reports whether a client may see a run of an owner: only its own. A run from before this program's start may
// belong to a client session that has ended; it is visible to all clients without an identity.
func Visible(ctx context.Context, owner string, before bool) bool {
	return owner == tool.ClientOf(ctx) || before && tool.ClientIn(ctx) == nil
}

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
