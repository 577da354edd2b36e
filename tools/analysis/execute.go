package analysis

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

const (
	// DefaultCodeTimeout is how long a call waits for code by default, in seconds.
	DefaultCodeTimeout = 30.0
	// DefaultCodeSize is the default length of the returned output, in characters.
	DefaultCodeSize = 10_000
)

// CodeOptions are the arguments of every tool that runs code in a session.
type CodeOptions struct {
	Timeout           *float64 `json:"timeout,omitempty"`
	MaxSize           *int     `json:"maxOutputSize,omitempty" jsonschema:"Maximum characters of all outputs." validate:"min=1,max=100000" default:"10000"`
	InterruptOnCancel bool     `json:"interrupt_on_cancel,omitempty" jsonschema:"Stop the code whenever this call is cancelled. By default only a user's stop does, not a host's time limit." default:"false"`
}

func (o CodeOptions) runOptions() notebook.RunOptions {
	timeout, size := tool.ValueOr(o.Timeout, DefaultCodeTimeout), tool.ValueOr(o.MaxSize, DefaultCodeSize)
	return notebook.RunOptions{InterruptOnCancel: o.InterruptOnCancel, Waiting: notebook.Waiting{
		Timeout: &timeout, OutputSize: notebook.OutputSize{MaxSize: &size},
	}}
}

// RunCell runs a cell for a session, and answers.
func RunCell(ctx context.Context, d *deps.Deps, a *analysis.Session, doc *session.Document, cell string, opt CodeOptions) (*tool.Answer, error) {
	runs, err := doc.RunWith(ctx, []string{cell}, CellRun(ctx, a))
	if err != nil {
		return nil, err
	}
	return AnswerCell(ctx, d, a, doc, runs[0], opt)
}

// CellRun returns the options with which a session's cells run.
func CellRun(ctx context.Context, a *analysis.Session) run.Options {
	opt := waiting.RunOptions(ctx)
	opt.Session = a.ID()
	return opt
}

// AnswerCell waits for the run of a session's cell, and answers.
func AnswerCell(ctx context.Context, d *deps.Deps, a *analysis.Session, doc *session.Document, r *run.Run, opt CodeOptions) (*tool.Answer, error) {
	return AnswerCode(ctx, d, r, doc, opt, func() waiting.Outcome {
		o := d.Outcome(ctx, r, doc)
		o.From.Session = a.ID()
		return o
	})
}

// AnswerCode waits for a run, at most as long as the options say, and answers with its outcome so far.
func AnswerCode(ctx context.Context, d *deps.Deps, r *run.Run, doc *session.Document, args CodeOptions, outcome func() waiting.Outcome) (*tool.Answer, error) {
	opt := args.runOptions()
	hold := d.Hold(ctx, args.Timeout != nil, opt.WaitAtMost())
	wait, cancel := context.WithTimeout(ctx, hold)
	defer cancel()
	waiting.Await(ctx, wait, []*run.Run{r})
	if ctx.Err() != nil {
		return nil, notebook.Abandoned(ctx, r, opt.InterruptOnCancel)
	}
	return codeOutcome{outcome(), hold}.answer(doc, opt.Size())
}

// duration returns how long a run has taken in the kernel so far.
func duration(res run.Result) time.Duration {
	switch {
	case res.Started.IsZero():
		return 0
	case res.Ended.IsZero():
		return time.Since(res.Started)
	}
	return res.Ended.Sub(res.Started)
}
