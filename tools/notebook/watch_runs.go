package notebook

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/search"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type watchArgs struct {
	RunID  string  `json:"run_id,omitempty" jsonschema:"The run to look at. Left out: lists your runs, latest first." validate:"max=40"`
	Wait   float64 `json:"wait,omitempty" jsonschema:"Maximum seconds to wait for its end; 0: do not wait, or with until 60." validate:"max=3600" default:"0"`
	Until  string  `json:"until,omitempty" jsonschema:"Waits until this text is in outputs that you have not seen; case is ignored." validate:"max=1000"`
	Regexp bool    `json:"regexp,omitempty" jsonschema:"until is a regular expression (RE2)." default:"false"`
	Times  *int    `json:"times,omitempty" jsonschema:"How often until must be there." validate:"min=1,max=100000" default:"1"`
	Output *int    `json:"output,omitempty" jsonschema:"Pages through this output, from 0; -1 is text left out of the notebook." validate:"min=-1,max=1000000"`
	Offset *int    `json:"offset,omitempty" jsonschema:"With output: where the page begins." validate:"max=1000000000" default:"0"`
	OutputSize
}

// untilWait is how long a call with until waits if it does not say so.
const untilWait = 60 * time.Second

// A WatchedRun is the answer of watch_runs about one run.
type WatchedRun struct {
	PagedRun
	Seen     int  `json:"seen,omitempty" jsonschema:"Characters of outputs that you have seen and that are not repeated: output 0, 1 … pages through them."`
	Appeared *int `json:"appeared,omitempty" jsonschema:"How often until is in outputs."`

	until string // with how often it has appeared
}

// watchRuns makes watch_runs.
func watchRuns(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "watch_runs",
		Title:       "Look at runs, or wait",
		Toolset:     tool.ToolsetCore,
		Description: "Shows a running or ended run of cells: all its outputs, then only new ones since your last look. With wait it waits for the end, with until for a text; without run_id it lists your runs. Use it when a call returned before its cells had ended.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Asks:        true,
		Output:      tool.EitherOf(tool.ResultOf[WatchedRun](nil), tool.ResultOf[ListRunsResult](nil)),
		Call: tool.Typed(func(ctx context.Context, args watchArgs) (*tool.Answer, error) {
			if args.RunID == "" {
				if args.Wait > 0 || args.Output != nil || args.Until != "" {
					return nil, errors.New("run_id is missing: wait, until and output are for one run; without them the call lists your runs")
				}
				return answerRuns(ctx, d, listRunsArgs{})
			}
			until, err := args.pattern()
			if err != nil {
				return nil, err
			}
			r, err := findRun(ctx, d, args.RunID)
			switch {
			case err != nil:
				return nil, err
			case args.Output != nil || tool.ValueOr(args.Offset, 0) > 0:
				return look(ctx, d, r, getRunArgs{namedRun{args.RunID}, args.OutputSize, args.Output, args.Offset})
			}
			return watch(ctx, d, r, args, until)
		}),
	}
}

// pattern returns the pattern to wait for; nil for none.
func (a watchArgs) pattern() (*regexp.Regexp, error) {
	switch {
	case a.Until == "" && a.Times != nil:
		return nil, fmt.Errorf("times is %d, but until is missing: give the text to wait for as until", *a.Times)
	case a.Until == "":
		return nil, nil
	case a.Output != nil:
		return nil, errors.New("until waits for new output, and output pages through one: use them in two calls")
	}
	return search.Compile("until", a.Until, a.Regexp)
}

// watch waits as the call says, and answers with the new outputs of the run.
func watch(ctx context.Context, d *deps.Deps, r *run.Run, args watchArgs, until *regexp.Regexp) (*tool.Answer, error) {
	count := func(c render.Contents) int {
		return c.Count(func(text string) int { return len(until.FindAllStringIndex(text, -1)) })
	}
	if args.Wait > 0 || until != nil {
		var seen render.Seen
		d.Looks.With(r.ID, func(last *render.Seen) { seen = *last })
		wait := untilWait
		if args.Wait > 0 {
			wait = time.Duration(args.Wait * float64(time.Second))
		}
		if err := await(ctx, r, d.Hold(ctx, args.Wait > 0, wait), func(stop context.CancelFunc, now run.Result) {
			if until == nil {
				return
			}
			if fresh, _ := d.ContentsFor(ctx, now.Outputs).Since(seen); count(fresh) >= tool.ValueOr(args.Times, 1) {
				stop()
			}
		}); err != nil {
			return nil, err
		}
	}
	f := finished{size: args.Size(), since: true}
	f.add(ctx, d, r, nil)
	now := f.runs[0]
	out := WatchedRun{PagedRun: PagedRun{RunView: viewOf(ctx, d, r, now.Outcome)}, Seen: now.seen}
	if until != nil {
		n := count(now.contents)
		out.Appeared = &n
		out.until = fmt.Sprintf("until %s: %d of %s", textfmt.Quoted(args.Until), n, textfmt.Plural(tool.ValueOr(args.Times, 1), "time"))
	}
	a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words)}
	return a, f.into(a, func(res []ExecutionResult) { out.ExecutionResult = res[0] })
}

// words returns the new outputs of the run.
func (r *WatchedRun) words() plaintext.Text {
	t := r.PagedRun.words()
	if r.Seen > 0 {
		t.Note("you have seen the " + textfmt.Plural(r.Seen, "character") + " before; output 0, 1 … pages through them")
	}
	t.Note(r.until)
	return t
}
