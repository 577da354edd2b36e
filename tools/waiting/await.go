package waiting

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
)

// ProgressEvery is the interval of progress notifications of a long call. It is short enough for clients that give up
// on a silent call, and long enough for their notification queues.
const ProgressEvery = time.Second

// LongAhead is how long the run before may take until the caller of one that waits behind it hears of that.
const LongAhead = 2 * time.Second

// Await waits until the runs or wait end, or the caller should know more before the next one ends: it waits for input
// that nobody is being asked for, or it is queued behind another call's run that does so, or that takes longer than
// [LongAhead]. It reports progress.
func Await(ctx, wait context.Context, runs []*run.Run) {
	AwaitTelling(ctx, wait, runs, func(run.Result) {})
}

// AwaitTelling is [Await] that also calls look with each intermediate result of the current run.
func AwaitTelling(ctx, wait context.Context, runs []*run.Run, look func(run.Result)) {
	await(ctx, wait, runs, LongAhead, look)
}

// Follow is [Await] for a call that was made to wait for a run, however long the run before takes.
func Follow(ctx, wait context.Context, r *run.Run) {
	await(ctx, wait, []*run.Run{r}, math.MaxInt64, func(run.Result) {})
}

// await is [AwaitTelling]. It ends when the run before has taken long.
func await(ctx, wait context.Context, runs []*run.Run, long time.Duration, look func(run.Result)) {
	began := time.Now()
	tick := time.NewTicker(ProgressEvery)
	defer tick.Stop()
	for i, r := range runs {
		for ended := false; !ended; {
			stuck, late, changed := obstacle(r, runs, long)
			select {
			case <-r.Done():
				ended = true
			case <-r.Unasked():
				return // the caller can answer
			case <-stuck:
				return // and perhaps the question of the other run
			case <-late:
				if ahead, _ := r.Ahead(); ahead != nil { // it may have ended at the same moment
					return
				}
			case <-changed:
			case <-wait.Done():
				return
			case <-tick.C:
				message := textfmt.Plural(i, "cell") + " of " + textfmt.Thousands(len(runs)) + " done"
				res := r.Result()
				look(res)
				if line := lastLine(res); line != "" {
					message += "; last output: " + line
				}
				if res.Asking != nil {
					message += "; " + Asks(res)
				}
				tool.Progress(ctx, time.Since(began).Seconds(), message)
			}
		}
	}
}

// obstacle is what keeps a run from its turn, if that is another call's run: stuck is closed while that waits for input
// that nobody is being asked for, late fires when it has taken long, and changed is closed when all this is to be looked
// at again. Those that cannot happen are nil.
func obstacle(r *run.Run, ours []*run.Run, long time.Duration) (stuck <-chan struct{}, late <-chan time.Time, changed <-chan struct{}) {
	ahead, changed := r.Ahead()
	if ahead == nil || slices.Contains(ours, ahead) {
		return nil, nil, changed
	}
	if began := ahead.Status().Started; !began.IsZero() && long < math.MaxInt64 {
		late = time.After(long - time.Since(began))
	}
	return ahead.Unasked(), late, changed
}

// lastLine is the last line that a run has printed, cut to size.
func lastLine(r run.Result) string {
	for i := len(r.Outputs) - 1; i >= 0; i-- {
		if r.Outputs[i].Type() != "stream" {
			continue
		}
		t := strings.TrimRight(textfmt.Plain(render.JoinText(r.Outputs[i]["text"])), "\n ")
		line, _ := textfmt.Cut(t[strings.LastIndexByte(t, '\n')+1:], textfmt.ShortestMarked*2)
		return line
	}
	return ""
}
