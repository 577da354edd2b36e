package desk

import (
	"context"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/tool"
)

// ProgressEvery is the interval of progress notifications of a long call. It is short enough for clients that give up
// on a silent call, and long enough for their notification queues.
const ProgressEvery = time.Second

// Await waits until the runs or wait end, or one waits for input that nobody is being asked for, and reports progress.
func Await(ctx, wait context.Context, runs []*run.Run) {
	AwaitTelling(ctx, wait, runs, func(run.Result) {})
}

// AwaitTelling is [Await] that also calls look with each intermediate result of the current run.
func AwaitTelling(ctx, wait context.Context, runs []*run.Run, look func(run.Result)) {
	began := time.Now()
	tick := time.NewTicker(ProgressEvery)
	defer tick.Stop()
	for i, r := range runs {
		for ended := false; !ended; {
			select {
			case <-r.Done():
				ended = true
			case <-r.Unasked():
				return // the caller can answer
			case <-wait.Done():
				return
			case <-tick.C:
				message := words.Plural(i, "cell") + " of " + words.Thousands(len(runs)) + " done"
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

// lastLine is the last line that a run has printed, cut to size.
func lastLine(r run.Result) string {
	for i := len(r.Outputs) - 1; i >= 0; i-- {
		if r.Outputs[i].Type() != "stream" {
			continue
		}
		t := strings.TrimRight(words.Plain(JoinText(r.Outputs[i]["text"])), "\n ")
		line, _ := words.Cut(t[strings.LastIndexByte(t, '\n')+1:], words.ShortestMarked*2)
		return line
	}
	return ""
}
