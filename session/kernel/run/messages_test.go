package run_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A display is updated in any cell, in all participants' notebooks.
func TestDisplayUpdatedFromAnotherCell(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t,
			"print('before')\nh = display('one', display_id='d')\nprint('after')",
			"h.display('two')",
			"for i in range(50): h.update(str(i))\nprint('updated')")
		d, seen := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)
		sessiontest.Run(t, d, "c0", "c1")
		got := sessiontest.Run(t, d, "c2")[0]
		test.Eq(t, run.Done, got.State, test.Sprint("the updating cell"))
		test.Eq(t, "stdout:updated\n;", sessiontest.Text(got.Outputs), test.Sprint("the updating cell"))
		want := map[string]string{"c0": "stdout:before\n;display_data:'49';stdout:after\n;", "c1": "display_data:'49';"}
		for id, outs := range want {
			sessiontest.Eventually(t, "cell "+id+" shows the last update", func() bool {
				c, _ := seen.Notebook().Cell(id)
				return sessiontest.Text(c.Outputs) == outs
			})
		}
		// A person's replacement stays unchanged.
		if err := d.Edit(t.Context(), "theirs", func(e *ydoc.Editor) error {
			return e.SetOutputs("c1", []ydoc.Output{{"output_type": "display_data", "data": map[string]any{"text/plain": "theirs"}, "metadata": map[string]any{}}})
		}); err != nil {
			t.Fatal(err)
		}
		sessiontest.Run(t, d, "c2")
		if c, _ := d.Notebook().Cell("c1"); sessiontest.Text(c.Outputs) != "display_data:theirs;" {
			t.Errorf("somebody else's output was overwritten: %q", sessiontest.Text(c.Outputs))
		}
	})
}

// A page of help becomes an output, as in JupyterLab, and the next input a cell.
func TestPayloads(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t,
			"def f():\n    'What f is for.'",
			"f?",
			"get_ipython().set_next_input('x = 1')",
			"get_ipython().set_next_input('y = 2', replace=True)"))
		res := sessiontest.Run(t, d, "c0", "c1", "c2", "c3")
		got := sessiontest.Text(res[1].Outputs)
		test.StrHasPrefix(t, "display_data:", got, test.Sprint("the page"))
		test.StrContains(t, got, "What f is for.", test.Sprint("the page"))
		cells := d.Notebook().Cells()
		var sources []string
		for _, c := range cells {
			sources = append(sources, c.Source)
		}
		must.SliceLen(t, 5, cells)
		test.Eq(t, "x = 1", sources[3])
		test.Eq(t, "y = 2", sources[4])
		test.Eq(t, "c3", cells[4].ID)
	})
}
