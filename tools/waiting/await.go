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

// ProgressEvery is the interval of progress notifications of a long call. It is short enough for clients that give up on a
// silent call, and long enough for their notification queues.
const ProgressEvery = time.Second

// LongAhead is how long a run may take until the call that waits for the next run returns.
const LongAhead = 2 * time.Second

// Await waits until the runs or wait end, or the caller must know more before the next run ends: a run waits for input that
// no person is being asked for, or is queued behind another call's run that does, or that takes longer than [LongAhead]. It
// reports progress.
func Await(ctx, wait context.Context, runs []*run.Run) {
	AwaitTelling(ctx, wait, runs, func(run.Result) {})
}

// AwaitTelling is [Await] that also calls look with each intermediate result of the current run.
func AwaitTelling(ctx, wait context.Context, runs []*run.Run, look func(run.Result)) {
	await(ctx, wait, runs, LongAhead, look)
}

// Follow is [AwaitTelling] for a call that waits for a run, however long the previous run takes.
func Follow(ctx, wait context.Context, r *run.Run, look func(run.Result)) {
	await(ctx, wait, []*run.Run{r}, math.MaxInt64, look)
}

// await is [AwaitTelling] with a limit on how long the previous run may take.
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

// obstacle describes the run of another call that a run is queued behind: stuck is closed while that run waits for input
// that no person is being asked for, late fires when it has taken long, and changed is closed when obstacle must be called
// again. Channels for events that cannot happen are nil.
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

// lastLine returns the last line that a run has printed, cut to size.
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
