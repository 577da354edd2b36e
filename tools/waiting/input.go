package waiting

import (
	"errors"
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
)

const (
	// promptShown is the maximum length of a prompt in an answer, and promptQuoted in a sentence, both in characters.
	promptShown  = 2000
	promptQuoted = 200
)

// An Input is the input that code waits for, in the answer of a tool.
type Input struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputOf returns the input that a run waits for and that no person is being asked for; nil for none.
func InputOf(r run.Result) *Input {
	if r.State != run.WaitingForInput || r.Asking == nil {
		return nil
	}
	prompt, _ := textfmt.Cut(textfmt.Plain(r.Asking.Prompt), promptShown)
	return &Input{prompt, r.Asking.Password}
}

// Asks says which input the code waits for.
func Asks(r run.Result) string {
	prompt, _ := textfmt.Cut(textfmt.Plain(r.Asking.Prompt), promptQuoted)
	what := lo.Ternary(r.Asking.Password, "a password", "input")
	return "it waits for " + what + " (" + textfmt.Quoted(prompt) + ")"
}

// HowToAnswer says which input the code of a run waits for, and how it is answered by whom; "" if it waits for none.
func (w Waits) HowToAnswer(id string, r run.Result) string {
	switch {
	case r.Asking == nil:
		return ""
	case r.State != run.WaitingForInput:
		return Asks(r) + " and is interrupted if not answered in time; a person is being asked by elicitation"
	case r.Asking.Password && !w.AgentPasswords:
		return Asks(r) + " and is interrupted if not answered in time: " + onlyPerson(id)
	}
	return fmt.Sprintf("%s and is interrupted if not answered in time", Asks(r)) + textfmt.Hint(fmt.Sprintf(": answer_input with run_id %q and the line as text answers it", id)) + textfmt.Hint(", cancel_run stops it")
}

// onlyPerson says how a password is answered.
func onlyPerson(id string) string {
	return "a person must answer a password" + textfmt.Hint(fmt.Sprintf(", so wait_run with run_id %q from an MCP client that offers elicitation asks them", id)) +
		"; elsewhere ask your user to start nbduet with --allow-agent-passwords" + textfmt.Hint(", which lets answer_input answer") + textfmt.Hint("; cancel_run stops the code")
}

// AnswerInput answers the input that a run waits for, as a line. An error says what to do instead.
func (w Waits) AnswerInput(r *run.Run, line string) error {
	switch err := r.Answer(line, w.AgentPasswords); {
	case err == nil:
		return nil
	case errors.Is(err, run.ErrPassword):
		return fmt.Errorf("run %s: %w: %s", r.ID, err, onlyPerson(r.ID))
	case errors.Is(err, run.ErrAsked):
		return fmt.Errorf("run %s: %w by elicitation"+textfmt.Hint(": wait_run waits for their answer")+textfmt.Hint(", cancel_run stops the code"), r.ID, err)
	default:
		next := textfmt.Hint("; wait_run waits for it")
		state := r.Status().State
		if state.Ended() {
			next = textfmt.Hint("; get_run shows its outputs")
		}
		return fmt.Errorf("run %s is %s: %w%s", r.ID, state, err, next)
	}
}
