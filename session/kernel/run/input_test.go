package run_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// ask runs one cell with an Asker.
func ask(t *testing.T, d *session.Document, cell string, asker run.Asker) run.Result {
	t.Helper()
	runs, err := d.RunWith(t.Context(), []string{cell}, run.Options{Ask: asker})
	if err != nil {
		t.Fatal(err)
	}
	return sessiontest.Wait(t, runs[0])
}

// Questions of code are answered, a password is not shown, and code that gets no answer is interrupted with an error that
// names its prompt.
func TestInput(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t,
			"name = input('Name? ')\nprint('hello', name)",
			"import getpass\nprint(len(getpass.getpass('Secret: ')))",
			"6 * 7")
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{InputTimeout: sessiontest.Timeout}), path)
		var asked []run.Question
		answers := func(line string) run.Asker {
			return func(_ context.Context, q run.Question) (string, error) {
				asked = append(asked, q)
				return line, nil
			}
		}
		res := ask(t, d, "c0", answers("Ada"))
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "stdin:Name? Ada\n;stdout:hello Ada\n;", sessiontest.Text(res.Outputs))
		res = ask(t, d, "c1", answers("hunter2"))
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "stdin:Secret: ········\n;stdout:7\n;", sessiontest.Text(res.Outputs))
		must.SliceLen(t, 2, asked, must.Sprint("asked"))
		test.Eq(t, "Name? ", asked[0].Prompt, test.Sprint("asked"))
		test.False(t, asked[0].Password, test.Sprint("asked"))
		test.Eq(t, "c0", asked[0].CellID, test.Sprint("asked"))
		test.True(t, asked[1].Password, test.Sprint("asked"))
		d = sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{InputTimeout: time.Second}), path)
		nobody := map[string]run.Asker{
			"no answer came within 1s: no person can be asked": nil,
			"no answer came within 1s": func(ctx context.Context, _ run.Question) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			},
		}
		for why, asker := range nobody {
			res := ask(t, d, "c0", asker)
			test.Eq(t, run.Interrupted, res.State)
			must.Error(t, res.Err)
			test.StrContains(t, res.Err.Error(), why)
			test.StrContains(t, res.Err.Error(), `"Name? "`)
			if res := sessiontest.Run(t, d, "c2")[0]; res.State != run.Done {
				t.Errorf("the next run: %s, %v", res.State, res.Err)
			}
		}
	})
}

// Code that requests input without an Asker shows its question, and takes its answer from the first client in time.
func TestInputAskedLater(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{InputTimeout: sessiontest.Timeout})
		d := sessiontest.Open(t, m, s.Notebook(t, "print('hello', input('Name? '))", "x = input('Never? ')"))
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it waits for input", func() bool {
			q := runs[0].Result().Asking
			return q != nil && q.Prompt == "Name? " && runs[0].Status().Asking != nil
		})
		runs[0].AskThrough(func(context.Context, run.Question) (string, error) { return "", run.ErrNoAsker })
		runs[0].AskThrough(func(context.Context, run.Question) (string, error) { return "Ada", nil })
		res := sessiontest.Wait(t, runs[0])
		test.Eq(t, run.Done, res.State)
		must.Nil(t, res.Asking)
		test.Eq(t, "stdin:Name? Ada\n;stdout:hello Ada\n;", sessiontest.Text(res.Outputs))
		// A client that sees the run wait can cancel it.
		if runs, err = d.Run(t.Context(), []string{"c1"}); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it waits for input", func() bool { return runs[0].Result().Asking != nil })
		if err := runs[0].Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		res = sessiontest.Wait(t, runs[0])
		test.Eq(t, run.Interrupted, res.State, test.Sprint("cancelled"))
		must.NoError(t, res.Err, must.Sprint("cancelled"))
		test.Nil(t, res.Asking, test.Sprint("cancelled"))
	})
}

// The client that started the run answers a question without an Asker, which the state shows. A password is not answered
// unless that is allowed.
func TestInputAnswered(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{InputTimeout: sessiontest.Timeout})
		d := sessiontest.Open(t, m, s.Notebook(t, "print(input('A? ') + input('B? '))", "import getpass\nprint(len(getpass.getpass('Secret: ')))"))
		start := func(cell string) *run.Run {
			t.Helper()
			runs, err := d.Run(t.Context(), []string{cell})
			if err != nil {
				t.Fatal(err)
			}
			return runs[0]
		}
		vacant := func(r *run.Run, prompt string) {
			t.Helper()
			select {
			case <-r.Unasked():
			case <-time.After(sessiontest.Timeout):
				t.Fatal("it does not wait for input")
			}
			res := r.Status()
			must.Eq(t, run.WaitingForInput, res.State)
			must.False(t, res.State.Ended())
			must.NotNil(t, res.Asking)
			must.Eq(t, prompt, res.Asking.Prompt)
			must.Eq(t, res.State, r.Result().State)
		}
		refused := func(r *run.Run, passwords bool, want error) {
			t.Helper()
			if err := r.Answer("x", passwords); !errors.Is(err, want) {
				t.Errorf("refused with %v, want %v", err, want)
			}
		}

		r := start("c0")
		vacant(r, "A? ")
		if m.Stats().Runs[run.WaitingForInput] != 1 {
			t.Errorf("the statistics say %v", m.Stats().Runs)
		}
		if err := r.Answer("1", false); err != nil {
			t.Error(err)
		}
		vacant(r, "B? ")
		// While a person is asked, no client can answer.
		gone := make(chan struct{})
		r.AskThrough(func(ctx context.Context, _ run.Question) (string, error) {
			select {
			case <-gone:
			case <-ctx.Done():
			}
			return "", run.ErrNoAsker
		})
		if state := r.Status().State; state != run.Running {
			t.Errorf("while somebody is being asked it is %s", state)
		}
		refused(r, true, run.ErrAsked)
		close(gone)
		vacant(r, "B? ")
		if err := r.Answer("2", false); err != nil {
			t.Error(err)
		}
		// An accepted answer counts, even if another Asker comes.
		r.AskThrough(func(context.Context, run.Question) (string, error) { return "3", nil })
		res := sessiontest.Wait(t, r)
		test.Eq(t, run.Done, res.State)
		must.Nil(t, res.Asking)
		test.Eq(t, "stdin:A? 1\nB? 2\n;stdout:12\n;", sessiontest.Text(res.Outputs))
		refused(r, true, run.ErrNotAsking)

		r = start("c1")
		vacant(r, "Secret: ")
		refused(r, false, run.ErrPassword)
		if err := r.Answer("hunter2", true); err != nil {
			t.Error(err)
		}
		res = sessiontest.Wait(t, r)
		test.Eq(t, run.Done, res.State)
		test.Eq(t, "stdin:Secret: ········\n;stdout:7\n;", sessiontest.Text(res.Outputs))

		// The time for an answer is unchanged, and a waiting run can be cancelled.
		r = start("c0")
		vacant(r, "A? ")
		if err := r.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		res = sessiontest.Wait(t, r)
		test.Eq(t, run.Interrupted, res.State, test.Sprint("cancelled"))
		test.Nil(t, res.Asking, test.Sprint("cancelled"))
		refused(r, true, run.ErrNotAsking)
		d = sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{InputTimeout: time.Second}), d.Path().String())
		r = start("c0")
		vacant(r, "A? ")
		res = sessiontest.Wait(t, r)
		test.Eq(t, run.Interrupted, res.State, test.Sprint("unanswered"))
		must.Error(t, res.Err, must.Sprint("unanswered"))
		test.StrContains(t, res.Err.Error(), "no answer came within 1s", test.Sprint("unanswered"))
	})
}
