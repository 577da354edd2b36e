package session_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A word of a text that a person has just typed is protected until they pause or the call forces; all other words are free.
// A paste, an agent's edit and earlier text do not count as typing.
func TestTypingInAText(t *testing.T) {
	replace := func(old, put string) func(e *ydoc.TextEditor) error {
		return func(e *ydoc.TextEditor) error { return e.SetText(strings.Replace(e.String(), old, put, 1)) }
	}
	type outcome struct{ refused, named bool }
	for name, c := range map[string]struct {
		types  string // behind "beta"
		shows  bool   // the person has announced themselves
		edit   func(e *ydoc.TextEditor) error
		force  bool
		later  time.Duration
		expect outcome
	}{
		"the word":              {"s", true, replace("betas", "gamma"), false, 0, outcome{true, true}},
		"before they have said": {"s", false, replace("betas", "gamma"), false, 0, outcome{true, false}},
		"behind the word":       {"s", true, replace("betas", "betas, gamma"), false, 0, outcome{true, true}},
		"a space typed":         {" ", true, replace("beta ", "beta gamma"), false, 0, outcome{true, true}},
		"another word":          {"s", true, replace("alpha", "gamma"), false, 0, outcome{}},
		"all of it":             {"s", true, func(e *ydoc.TextEditor) error { return e.SetText("new") }, false, 0, outcome{true, true}},
		"forced":                {"s", true, replace("betas", "gamma"), true, 0, outcome{}},
		"when they paused":      {"s", true, replace("betas", "gamma"), false, editguard.Quiet, outcome{}},
		"a paste":               {strings.Repeat("s", 41), true, replace("beta", "gamma"), false, 0, outcome{}},
		"nothing typed":         {"", true, replace("beta", "gamma"), false, 0, outcome{}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Start(t)
				path := s.Write(t, s.Name(t, ".md"), "# notes\nalpha 😀 beta\n")
				m := sessiontest.Manager(t, s, session.Config{})
				p := sessiontest.PersonInText(t, sessiontest.Server(t, s), path)
				d := sessiontest.OpenText(t, m, path)
				if c.shows {
					at, err := p.Text.RelativePosition(len("# notes\nalpha "))
					if err != nil {
						t.Fatal(err)
					}
					p.Show(map[string]any{
						"user":    map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada"},
						"cursors": sessiontest.Caret(at),
					})
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if err := p.Text.Edit("type", replace("beta", "beta"+c.types)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				time.Sleep(c.later)
				was := d.Text().String()
				err := d.EditText(editguard.With(call(t, "a", 1), editguard.Manners{Force: c.force}), "edit text", c.edit)
				var busy *editguard.BusyError
				must.Eq(t, c.expect.refused, errors.As(err, &busy))
				must.False(t, err != nil && busy == nil)
				if !c.expect.refused {
					return
				}
				who := "a person"
				if c.expect.named {
					who = "Ada"
				}
				test.StrHasPrefix(t, "busy_human: "+who+" is typing in line 2, since ", err.Error())
				test.Eq(t, was, d.Text().String())
				ctx := editguard.With(call(t, "a", 2), editguard.Manners{Wait: time.Minute})
				err = d.EditText(ctx, "edit text", c.edit)
				must.NoError(t, err, must.Sprint("after waiting"))
				test.NotEq(t, was, d.Text().String(), test.Sprint("after waiting"))
			})
		})
	}
}

// A text that is opened while a person types is not changed between two of their keys, although the first ones are not
// known.
func TestTypingInATextThatIsOpened(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		path := s.Write(t, s.Name(t, ".md"), "# notes\nalpha beta\n")
		m := sessiontest.Manager(t, s, session.Config{})
		p := sessiontest.PersonInText(t, sessiontest.Server(t, s), path)
		types := func(key string) {
			if err := p.Text.Edit("type", func(e *ydoc.TextEditor) error {
				return e.SetText(strings.TrimSuffix(e.String(), "\n") + key + "\n")
			}); err != nil {
				t.Error(err)
			}
		}
		types("s")
		time.Sleep(200 * time.Millisecond)
		d := sessiontest.OpenText(t, m, path)
		time.AfterFunc(400*time.Millisecond, func() { types("t") })
		err := d.EditText(call(t, "a", 1), "edit text", func(e *ydoc.TextEditor) error { return e.SetText("# notes\nalpha gamma\n") })
		must.Error(t, err)
		test.StrHasPrefix(t, "busy_human: a person is typing in line 2", err.Error())
		test.Eq(t, "# notes\nalpha betast\n", d.Text().String())
	})
}
