package desk

import (
	"context"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/tool"
)

// ProgressEvery is how often a client that asked for progress hears of a call that takes long. Clients that give up on
// a silent call are kept waiting by it, and their queue for notifications does not run over.
const ProgressEvery = time.Second

// Await waits for the runs to end, or for wait to do so, and tells of progress on the way.
func Await(ctx, wait context.Context, runs []*run.Run) {
	AwaitTelling(ctx, wait, runs, func(run.Result) {})
}

// AwaitTelling is await that also tells of each look at the run that is waited for.
func AwaitTelling(ctx, wait context.Context, runs []*run.Run, look func(run.Result)) {
	began := time.Now()
	tick := time.NewTicker(ProgressEvery)
	defer tick.Stop()
	for i, r := range runs {
		for ended := false; !ended; {
			select {
			case <-r.Done():
				ended = true
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

// Asks says what code waits to be told.
func Asks(r run.Result) string {
	prompt, _ := words.Cut(words.Plain(r.Asking.Prompt), 200)
	return "it waits for input (" + words.Quoted(prompt) + ")"
}

// lastLine is the last line of text that a run has printed, cut to size.
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
