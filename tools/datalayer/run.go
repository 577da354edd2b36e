package datalayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// UsualTimeout is how long their server waits for a cell by default, in seconds.
	UsualTimeout = 120
	// LongestGiven is the longest accepted timeout, in seconds; above [notebook.MaxTimeout] it counts as that.
	LongestGiven = 1_000_000
	// DefaultInterval is the time between two progress lines, in seconds.
	DefaultInterval = 5
	// progressKept is the maximum number of progress lines in an answer, the last ones.
	progressKept = 50
	// interruptTime is how long the call waits for an interrupted run to end.
	interruptTime = 5 * time.Second
)

// UsedRun are the arguments of the tools that run a cell as their server does: at the timeout the code is interrupted,
// and the call answers with the outputs so far.
type UsedRun struct {
	Timeout  *int  `json:"timeout,omitempty"`
	Stream   *bool `json:"stream,omitempty" jsonschema:"Whether to add progress lines." default:"true"`
	Interval *int  `json:"progress_interval,omitempty"`
}

// Refine implements tool.Refiner.
func (UsedRun) Refine(f tool.Fields) {
	timeoutField(f.Field("timeout"), 0)
	intervalField(f.Field("progress_interval"))
}

// timeoutField describes a timeout. usual is its default.
func timeoutField(f tool.Field, usual int) {
	f.Say(fmt.Sprintf("Seconds until the code is interrupted; 0 for %d, at most %s.", UsualTimeout, textfmt.Thousands(notebook.MaxTimeout))).Limit(0, LongestGiven).Default(usual)
}

// intervalField describes the time between two progress lines.
func intervalField(f tool.Field) {
	f.Say("Seconds between two progress lines.").Limit(0, LongestGiven).Default(DefaultInterval)
}

// SecondsOf returns how long to wait: as long as requested, or as their server waits.
func SecondsOf(asked *int, usual int) int {
	return min(cmp.Or(tool.ValueOr(asked, usual), UsualTimeout), notebook.MaxTimeout)
}

// A Watch is the wait for a run, as their server reports it.
type Watch struct {
	kind     string
	seconds  int
	interval int
	stream   bool
	// timedOut is the text for a timeout, used without progress lines.
	timedOut string
	// first puts timedOut before the outputs.
	first bool
	// size is the maximum length of outputs, in characters.
	size int
	// said says that the caller gave a timeout.
	said bool
	// goesOn says that the call ended before the run without interrupting it: sooner than the timeout, or because the code
	// asks for input.
	goesOn bool
	// always means to stop the code whenever the call is cancelled, for any reason.
	always bool

	lines []string
}

// take applies this program's own options.
func (w *Watch) take(o analysis.CodeOptions) {
	w.size, w.always = tool.ValueOr(o.MaxSize, w.size), o.InterruptOnCancel
}

// Watch makes the wait for a run with these arguments. usual is the default timeout.
func (u UsedRun) Watch(kind string, usual int) *Watch {
	w := &Watch{
		kind: kind, seconds: SecondsOf(u.Timeout, usual), interval: tool.ValueOr(u.Interval, DefaultInterval),
		size: analysis.DefaultCodeSize, stream: tool.ValueOr(u.Stream, true), said: u.Timeout != nil,
	}
	w.timedOut = fmt.Sprintf("[TIMEOUT ERROR: Execution exceeded %d seconds]", w.seconds)
	return w
}

// say adds a progress line.
func (w *Watch) say(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
	if len(w.lines) > progressKept {
		w.lines = w.lines[1:]
	}
}

// wait waits for the run to end. At the timeout it interrupts the run, and late is true. A call without a timeout may return
// earlier; the run then continues.
func (w *Watch) wait(ctx context.Context, d *deps.Deps, r *run.Run) (late bool, err error) {
	began := time.Now()
	most := time.Duration(w.seconds) * time.Second
	hold := d.Hold(ctx, w.said, most)
	limit, cancel := context.WithTimeout(ctx, hold)
	defer cancel()
	said, outputs := 0.0, 0
	waiting.AwaitTelling(ctx, limit, []*run.Run{r}, func(res run.Result) {
		elapsed := time.Since(began).Seconds()
		if n := len(res.Outputs); n > outputs {
			w.say("[%.1fs] %d new output(s), %d total", elapsed, n-outputs, n)
			outputs = n
		}
		if w.interval > 0 && elapsed-said >= float64(w.interval) {
			said = elapsed
			w.say("[PROGRESS: %.1fs elapsed, %d outputs so far]", elapsed, outputs)
		}
	})
	elapsed := time.Since(began).Seconds()
	switch {
	case ctx.Err() != nil:
		return false, notebook.Abandoned(ctx, r, w.always)
	case r.Status().State.Ended():
		w.say("[COMPLETED in %.1fs]", elapsed)
		return false, nil
	case hold < most || limit.Err() == nil:
		w.goesOn = true
		return false, nil
	}
	w.say("[TIMEOUT at %.1fs: Interrupting execution]", elapsed)
	stop, cancelStop := context.WithTimeout(context.WithoutCancel(ctx), notebook.AbandonTime)
	defer cancelStop()
	if err := r.Cancel(stop); err != nil {
		return true, fmt.Errorf("the code has not ended within %d seconds, and could not be interrupted (run %s): %w", w.seconds, r.ID, err)
	}
	w.say("[Sent interrupt signal to kernel]")
	ending, cancelEnding := context.WithTimeout(ctx, interruptTime)
	defer cancelEnding()
	_ = r.Wait(ending) // the answer says if the run has not ended
	return true, nil
}

// answer waits for the run as their server does, and answers with its outcome.
func (w *Watch) answer(ctx context.Context, d *deps.Deps, r *run.Run, doc *session.Document, outcome func() waiting.Outcome) (*tool.Answer, error) {
	late, err := w.wait(ctx, d, r)
	if err != nil {
		return nil, err
	}
	a, _, err := w.shown(outcome(), late).answer(doc)
	return a, err
}

// shown returns the shown part of the run after the wait.
func (w *Watch) shown(o waiting.Outcome, late bool) shownRun {
	s := shownRun{Outcome: o, kind: w.kind, size: w.size, none: "[No output generated]"}
	if late && (!w.stream || w.first) {
		if w.first {
			s.head = []string{w.timedOut}
		} else {
			s.tail = []string{w.timedOut}
		}
	}
	if w.stream {
		s.tail = append(s.tail, w.lines...)
	}
	switch queued := o.QueuedBehind("this one"); {
	case o.State == run.WaitingForInput:
		s.tail = append(s.tail, fmt.Sprintf("[INPUT REQUESTED: Run %s has not ended: %s]", o.ID, o.HowToAnswer))
	case queued != "" && w.goesOn:
		s.tail = append(s.tail, fmt.Sprintf("[Run %s is %s]", o.ID, queued))
	case !o.State.Ended() && w.goesOn:
		s.tail = append(s.tail, fmt.Sprintf("[Run %s keeps running"+textfmt.Hint(": wait_run waits for it")+textfmt.Hint(", cancel_run stops it")+"]", o.ID))
	case !o.State.Ended():
		s.tail = append(s.tail, fmt.Sprintf("[Run %s has not ended: the kernel ignores the interrupt, or is busy with other code and will be interrupted when it reaches this run"+textfmt.Hint("; wait_run waits for it")+textfmt.Hint(", restart_notebook ends it")+"]", o.ID))
	case late:
		s.tail = append(s.tail, fmt.Sprintf("[Run %s: %s]", o.ID, o.State))
	}
	notes := o.Notes()
	if o.Err != nil && o.State != run.Interrupted {
		why, _ := textfmt.Cut(o.Err.Error(), 1000)
		notes = slices.Insert(notes, 0, why)
	}
	for _, note := range notes {
		s.tail = append(s.tail, "[NOTE: "+note+"]")
	}
	return s
}

// runUsed runs a cell as their server does, and answers.
func (d *Toolset) runUsed(ctx context.Context, doc *session.Document, cell string, w *Watch) (*tool.Answer, error) {
	runs, err := doc.RunWith(ctx, []string{cell}, waiting.RunOptions(ctx))
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, d.Deps, runs[0], doc, func() waiting.Outcome { return d.Outcome(ctx, runs[0], doc) })
}

// RunUsedCell runs the cell that a call names.
func (d *Toolset) RunUsedCell(ctx context.Context, name UsedCell, w *Watch, opt analysis.CodeOptions) (*tool.Answer, error) {
	cell, err := name.open(ctx, d, target.ViewToRun)
	if err != nil {
		return nil, err
	}
	defer cell.doc.Release()
	if cell.Type != ydoc.Code {
		return nil, fmt.Errorf("cell %d is a %s cell: only code cells can be run", cell.at, cell.Type)
	}
	w.take(opt)
	return d.runUsed(ctx, cell.doc, cell.ID, w)
}

type insertExecuteArgs struct {
	insertAt
	Source string `json:"cell_source" jsonschema:"Code of the cell. Line ends are stored as \\n." validate:"max=source"`
	UsedRun
	inCurrent
}

func (a insertExecuteArgs) Check() error { return checkNewSource(a.Source) }

// insertExecuteCodeCell makes insert_execute_code_cell.
func insertExecuteCodeCell(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "insert_execute_code_cell",
		Title:       "Insert a code cell and run it",
		Description: "Inserts a code cell into the current notebook and runs it in the kernel that people's tabs share, starting one if needed; returns its outputs as texts and images. Use it to add code and see its result. At the timeout the code is interrupted.",
		Hints:       tool.Hints{OpenWorld: true},
		Ordered:     true,
		Output:      Outputs(),
		Call: inUsed(d, func(ctx context.Context, doc *session.Document, args insertExecuteArgs) (*tool.Answer, error) {
			id, err := insertUsed(ctx, doc, insertCellArgs{insertAt: args.insertAt, Type: ydoc.Code, Source: args.Source})
			if err != nil {
				return nil, err
			}
			a, err := d.runUsed(ctx, doc, id, args.Watch("cell.insert_execute", UsualTimeout))
			if err != nil {
				return nil, fmt.Errorf("the cell was inserted (id %s), do not insert it again: %w", textfmt.Quoted(id), err)
			}
			return a, nil
		}),
	})
}

// insertUsed inserts a cell and returns its id.
func insertUsed(ctx context.Context, doc *session.Document, args insertCellArgs) (string, error) {
	before := target.ViewOf(ctx, doc).Listed
	if args.Index > len(before) {
		return "", theirWords("Index %d is outside valid range [-1, %d]. Use -1 to append at end.", args.Index, len(before))
	}
	ids, err := notebook.InsertAt(ctx, doc, []ydoc.NewCell{{Type: args.Type, Source: textfmt.Lines(args.Source)}}, func(e *ydoc.Editor) int {
		if args.Index < 0 {
			return e.Len()
		}
		return notebook.Placed(e, before, args.Index)
	})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// RunUsedCode runs code in a kernel without a cell, as their server does: in the kernel with the id, or in the current
// notebook's. No notebook shows the code or its outputs.
func (d *Toolset) RunUsedCode(ctx context.Context, code, kernelID string, w *Watch, opt analysis.CodeOptions) (*tool.Answer, error) {
	w.stream, w.first = false, true
	w.take(opt)
	w.timedOut = fmt.Sprintf("[TIMEOUT ERROR: IPython execution exceeded %d seconds and was interrupted]", w.seconds)
	var r *run.Run
	var err error
	if kernelID == "" {
		var doc *session.Document
		doc, _, err = d.openUsed(ctx, "")
		if err != nil {
			if errors.Is(err, errNoCurrent) {
				err = fmt.Errorf("%w"+textfmt.Hint("; or give kernel_id, or the session_id of an analysis session"), err)
			}
			return nil, err
		}
		defer doc.Release()
		r, err = notebook.StartIn(ctx, d.Deps, doc, code)
	} else if r, err = notebook.StartCode(ctx, d.Deps, kernelID, code); deps.IsNoKernel(err) {
		return nil, theirWords("Kernel '%s' not found in jupyter server"+textfmt.Hint(": list_kernels shows the running ones"), kernelID)
	}
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, d.Deps, r, nil, func() waiting.Outcome { return d.OutcomeOfCode(ctx, r, code) })
}
