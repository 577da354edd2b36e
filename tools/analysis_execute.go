package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
)

const (
	defaultCodeTimeout = 30.0 // seconds
	defaultCodeSize    = 10_000
)

// codeOptions are the arguments of every tool that runs code in a session.
type codeOptions struct {
	Timeout           *float64 `json:"timeout"`
	MaxSize           *int     `json:"maxOutputSize"`
	InterruptOnCancel *bool    `json:"interrupt_on_cancel"`
}

func (o codeOptions) runOptions() runOptions {
	timeout, size := defaultCodeTimeout, defaultCodeSize
	if o.Timeout != nil {
		timeout = *o.Timeout
	}
	if o.MaxSize != nil {
		size = *o.MaxSize
	}
	return runOptions{Timeout: &timeout, MaxSize: &size, InterruptOnCancel: o.InterruptOnCancel}
}

// runCell runs a cell for a session, and answers.
func (d *deps) runCell(ctx context.Context, a *session.Analysis, doc *session.Document, cell string, opt codeOptions) (*answer, error) {
	runs, err := doc.RunWith(ctx, []string{cell}, cellRun(ctx, a))
	if err != nil {
		return nil, err
	}
	return d.answerCell(ctx, a, doc, runs[0], opt)
}

// cellRun is how a session's cells are run.
func cellRun(ctx context.Context, a *session.Analysis) session.RunOptions {
	return session.RunOptions{Ask: asker(ctx), Session: a.ID(), Owner: clientOf(ctx)}
}

// answerCell waits for the run of a session's cell, and answers.
func (d *deps) answerCell(ctx context.Context, a *session.Analysis, doc *session.Document, r *session.Run, opt codeOptions) (*answer, error) {
	return d.answerCode(ctx, r, doc, opt, func(count *int) images.Origin {
		from := d.ofRun(ctx, r, count)
		if c, ok := doc.Notebook().Cell(r.CellID); ok {
			from = d.gallery.ofCell(ctx, doc, c)
		}
		from.Session, from.Count = a.ID(), count
		return from
	})
}

// answerCode waits for a run, at most as long as the options say, and answers with what it has come to.
func (d *deps) answerCode(ctx context.Context, r *session.Run, doc *session.Document, args codeOptions, from func(count *int) images.Origin) (*answer, error) {
	opt := args.runOptions()
	wait, cancel := context.WithTimeout(ctx, opt.timeout())
	defer cancel()
	await(ctx, wait, []*session.Run{r})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the call was cancelled; %s (run %s): %w", abandon(ctx, []*session.Run{r}, opt), r.ID, err)
	}
	res := r.Result()
	c := codeOutcome{run: r, Result: res, waited: opt.timeout(), tray: d.gallery.trays(ctx), from: from(res.Count)}
	return c.answer(doc, opt.size())
}

// duration is how long the kernel has had a run so far.
func duration(res session.Result) time.Duration {
	switch {
	case res.Started.IsZero():
		return 0
	case res.Ended.IsZero():
		return time.Since(res.Started)
	}
	return res.Ended.Sub(res.Started)
}
