package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
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

// codeProperties describe codeOptions, and what there is of usedRun. usual is their server's timeout.
func codeProperties(usual int) []property {
	return []property{
		optional("timeout", described("number", fmt.Sprintf("Seconds to wait. In a session, code that takes longer goes on, and is answered with what it has put out so far; left out is %v. "+
			"Without one it is interrupted; 0 is %d, left out %d.", defaultCodeTimeout, usualTimeout, secondsOf(nil, usual))).
			with("minimum", 0).with("maximum", maxTimeout)),
		optional("maxOutputSize", integer("Most characters of all output together.").between(1, maxOutputSize).def(defaultCodeSize)),
		optional("interrupt_on_cancel", boolean("Whether cancelling this call stops the code. If false it goes on.").def(true)),
		optional("progress_interval", integer("Without a session: seconds between two lines on progress.").between(0, longestGiven).def(defaultInterval)),
	}
}

// eitherSchema is the result of a tool that answers in a session of its own as this program does, and without one as
// their server does.
func eitherSchema() schema {
	return schema{{"type", "object"}, {"anyOf", []schema{codeSchema(), outputsSchema()}}}
}

// either are the options of a tool that runs code with or without a session.
type either struct {
	codeOptions
	Interval *int `json:"progress_interval"`
}

// check refuses what means something without a session only.
func (o either) check() error {
	if o.Timeout != nil && *o.Timeout == 0 {
		return errors.New("timeout is 0, it must be more than 0 in a session")
	}
	return nil
}

// used are the same options for a call without a session.
func (o either) used() usedRun {
	u := usedRun{Interval: o.Interval}
	if o.Timeout != nil {
		whole := int(math.Ceil(*o.Timeout))
		u.Timeout = &whole
	}
	return u
}

type executeCodeArgs struct {
	either
	ID       string `json:"session_id"`
	Code     string `json:"code"`
	KernelID string `json:"kernel_id"`
}

// executeCode makes execute_code.
func executeCode(d *deps) tool {
	return tool{
		name:    "execute_code",
		title:   "Run code",
		toolset: toolsetAnalysis,
		also:    []string{toolsetDatalayer, toolsetToday},
		description: "Runs code in an analysis session's kernel and returns what it printed, its value, and its images, which are shown beside the JSON. Variables stay for the next call. " +
			"In a session with a notebook the code becomes a cell at the notebook's end, for people to see. Costs the time the code takes, at most timeout seconds, and up to maxOutputSize characters; code that takes longer goes on running under its run_id. " +
			"Without session_id it runs in the kernel with the kernel_id, or that of the notebook made current by use_notebook, leaves no cell, and answers with a list of texts and images.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			optional("session_id", sessionIDSchema().orNull()),
			required("code", text("In the kernel's language, mostly Python.").length(1, maxSource)),
			optional("kernel_id", text("Running kernel to run the code in, in place of session_id.").length(0, 200).orNull()),
		}, codeProperties(int(defaultCodeTimeout))...)...),
		output: eitherSchema(),
		handle: typed(func(ctx context.Context, args executeCodeArgs) (*answer, error) {
			switch {
			case args.ID != "" && args.KernelID != "":
				return nil, errors.New("session_id and kernel_id are both given: give one of them")
			case args.ID == "":
				w := args.used().watch("code.execute", int(defaultCodeTimeout))
				return d.runUsedCode(ctx, args.Code, args.KernelID, w, args.codeOptions)
			}
			if err := args.either.check(); err != nil {
				return nil, err
			}
			a, doc, err := d.sessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				r, err := a.Run(args.Code, session.RunOptions{Ask: asker(ctx)})
				if err != nil {
					return nil, analysisError(err)
				}
				return d.answerCode(ctx, r, nil, args.codeOptions, func(*int) images.Origin { return d.gallery.ofCode(r, args.Code) })
			}
			defer doc.Release()
			source := lines(args.Code)
			if marked(source) {
				return nil, errors.New("code " + markedWhy)
			}
			r, err := doc.RunNew(ctx, source, cellRun(ctx, a))
			if err != nil {
				return nil, err
			}
			answer, err := d.answerCell(ctx, a, doc, r, args.codeOptions)
			if err != nil {
				return nil, fmt.Errorf("the code was put into cell %s of %s, do not insert it again: %w", quoted(r.CellID), doc.Path(), err)
			}
			return answer, nil
		}),
	}
}

type executeCellArgs struct {
	either
	cellName
	ID      string `json:"session_id"`
	Stream  *bool  `json:"stream"`
	Seconds *int   `json:"timeout_seconds"`
}

// used are the options for a call without a session.
func (a executeCellArgs) used() usedRun {
	u := a.either.used()
	u.Stream = a.Stream
	if u.Timeout == nil {
		u.Timeout = a.Seconds
	}
	return u
}

// executeCell makes execute_cell.
func executeCell(d *deps) tool {
	return tool{
		name:    "execute_cell",
		title:   "Run a cell",
		toolset: toolsetCells,
		also:    []string{toolsetDatalayer, toolsetToday},
		description: "Runs one code cell of the notebook of an analysis session, named by its index or its id, and returns what it printed, its value, and its images as execute_code does. " +
			"Use it to run a cell as it is; its old outputs are replaced. Costs the time the cell takes, at most timeout seconds, and up to maxOutputSize characters; a cell that takes longer goes on running. " +
			"Without session_id it is a cell of the notebook made current by use_notebook, which is interrupted at the timeout, and the answer is a list of texts and images.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append(append([]property{
			optional("session_id", sessionIDSchema().orNull()),
			optional("cell_index", integer("Index of the cell, from 0. Needed unless cell_id is given.").between(0, maxIndex).orNull()),
			optional("cell_id", idSchema("Id of the cell, in place of cell_index.").orNull()),
		}, codeProperties(0)...),
			optional("stream", boolean("Without a session: whether to add lines on the time that it took.").def(true)),
			optional("timeout_seconds", integer("The same as timeout, for a call without a session.").between(0, longestGiven).orNull()),
		)...),
		output: eitherSchema(),
		handle: typed(func(ctx context.Context, args executeCellArgs) (*answer, error) {
			if args.ID == "" {
				name := usedCell{Index: args.Index, CellID: args.CellID}
				return d.runUsedCell(ctx, name, args.used().watch("cell.execute", usualTimeout), args.codeOptions)
			}
			if err := errors.Join(args.either.check(), args.cellName.check()); err != nil {
				return nil, err
			}
			a, doc, err := d.sessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				return nil, analysisError(fmt.Errorf("session %s: %w", a.ID(), session.ErrNoNotebook))
			}
			defer doc.Release()
			cell, err := args.find(doc)
			switch {
			case err != nil:
				return nil, err
			case cell.Type != ydoc.Code:
				return nil, fmt.Errorf("cell %s is a %s cell: only code cells can be run", quoted(cell.ID), cell.Type)
			}
			return d.runCell(ctx, a, doc, cell.ID, args.codeOptions)
		}),
	}
}

// runCell runs a cell for a session, and answers.
func (d *deps) runCell(ctx context.Context, a *Analysis, doc *session.Document, cell string, opt codeOptions) (*answer, error) {
	runs, err := doc.RunWith(ctx, []string{cell}, cellRun(ctx, a))
	if err != nil {
		return nil, err
	}
	return d.answerCell(ctx, a, doc, runs[0], opt)
}

// cellRun is how a session's cells are run.
func cellRun(ctx context.Context, a *Analysis) session.RunOptions {
	return session.RunOptions{Ask: asker(ctx), Session: a.ID(), Owner: clientOf(ctx)}
}

// answerCell waits for the run of a session's cell, and answers.
func (d *deps) answerCell(ctx context.Context, a *Analysis, doc *session.Document, r *session.Run, opt codeOptions) (*answer, error) {
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
