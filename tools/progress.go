package tools

import (
	"context"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session"
)

// progressEvery is how often a client that asked for progress hears of a call that takes long. Clients that give up on
// a silent call are kept waiting by it, and their queue for notifications does not run over.
const progressEvery = time.Second

type progressKey struct{}

// withProgress notes in a call's context that its client wants to hear of progress, if it does.
func withProgress(ctx context.Context, req mcp.CallToolRequest) context.Context {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, req.Params.Meta.ProgressToken)
}

// progress tells the call's client how far the call is, if it asked for that. done must grow from one call to the next.
func progress(ctx context.Context, done float64, message string) {
	if c := openCallOf(ctx); c != nil {
		if ctx = c.attached(); ctx == nil {
			return // its client asks its user something
		}
	}
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return
	}
	// What cannot be delivered now is out of date a second later; the answer does not depend on it.
	_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
		"progressToken": token, "progress": done, "message": message,
	})
}

// await waits for the runs to end, or for wait to do so, and tells of progress on the way.
func await(ctx, wait context.Context, runs []*session.Run) {
	awaitTelling(ctx, wait, runs, func(session.Result) {})
}

// awaitTelling is await that also tells of each look at the run that is waited for.
func awaitTelling(ctx, wait context.Context, runs []*session.Run, look func(session.Result)) {
	began := time.Now()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for i, r := range runs {
		for ended := false; !ended; {
			select {
			case <-r.Done():
				ended = true
			case <-wait.Done():
				return
			case <-tick.C:
				message := plural(i, "cell") + " of " + thousands(len(runs)) + " done"
				res := r.Result()
				look(res)
				if line := lastLine(res); line != "" {
					message += "; last output: " + line
				}
				if res.Asking != nil {
					message += "; " + asks(res)
				}
				progress(ctx, time.Since(began).Seconds(), message)
			}
		}
	}
}

// asks says what code waits to be told.
func asks(r session.Result) string {
	prompt, _ := cut(plain(r.Asking.Prompt), 200)
	return "it waits for input (" + quoted(prompt) + ")"
}

// lastLine is the last line of text that a run has printed, cut to size.
func lastLine(r session.Result) string {
	for i := len(r.Outputs) - 1; i >= 0; i-- {
		if r.Outputs[i].Type() != "stream" {
			continue
		}
		t := strings.TrimRight(plain(joinText(r.Outputs[i]["text"])), "\n ")
		line, _ := cut(t[strings.LastIndexByte(t, '\n')+1:], shortestMarked*2)
		return line
	}
	return ""
}
