package notebook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

type answerInputArgs struct {
	namedRun
	Text string `json:"text" jsonschema:"The line that the code reads, without a line end; may be empty." validate:"max=10000"`
	Waiting
}

func answerInput(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "answer_input",
		Title:       "Answer a run's input()",
		Description: "Answers the input() that a run waits for, then waits until the run ends or asks again. Use it when a state is waiting_for_input: other clients do not see the prompt. Only a person may answer a password, unless nbduet was started with --allow-agent-passwords.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.ResultOf[RunView](nil),
		Call: ofRun(d, func(ctx context.Context, r *run.Run, args answerInputArgs) (*tool.Answer, error) {
			if strings.ContainsAny(args.Text, "\r\n") {
				return nil, errors.New("text has a line end, but input() reads one line: send one line without it, and the next line when the run asks again")
			}
			if err := d.AnswerInput(r, args.Text); err != nil {
				return nil, err
			}
			return follow(ctx, d, r, args.Waiting)
		}),
	}
}

// follow waits for a run, at most as long as the call says, and answers with its state.
func follow(ctx context.Context, d *deps.Deps, r *run.Run, args Waiting) (*tool.Answer, error) {
	if err := await(ctx, r, args.hold(ctx, d), func(context.CancelFunc, run.Result) {}); err != nil {
		return nil, err
	}
	return answerRun(ctx, d, r, args.Size())
}

// await waits for a run, at most for hold. It calls look with the run's results, which may stop it. Questions of the code go
// to the call's client, if it supports elicitation.
func await(ctx context.Context, r *run.Run, hold time.Duration, look func(stop context.CancelFunc, now run.Result)) error {
	wait, stop := context.WithTimeout(ctx, hold)
	defer stop()
	if ask := waiting.Asker(ctx); ask != nil {
		r.AskThrough(ask)
	}
	look(stop, r.Result())
	waiting.Follow(ctx, wait, r, func(now run.Result) { look(stop, now) })
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the call was cancelled; the run continues: %w", err)
	}
	return nil
}
