package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Ten notebooks run in parallel: the cell of each waits until all have begun. Runs of several calls in one notebook run in
// the order of the calls.
func TestTenNotebooksSideBySide(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		const many = 10
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		name := s.Name(t, "")
		var docs []*session.Document
		var runs []*run.Run
		for i := range many {
			d := sessiontest.Open(t, m, s.Notebook(t, fmt.Sprintf(`import os, time
open(%q, 'w').close()
while not all([os.path.exists(%q %% i) for i in range(%d)]): time.sleep(0.05)
print('notebook', %d)
order = []`, fmt.Sprintf("%s-%d.gate", name, i), name+"-%d.gate", many, i), "order.append('a')", "order.append('b')", "order"))
			rs, err := d.Run(t.Context(), []string{"c0"})
			if err != nil {
				t.Fatal(err)
			}
			docs, runs = append(docs, d), append(runs, rs...)
		}
		var last []*run.Run
		for _, cell := range []string{"c1", "c2", "c1", "c3"} { // queued behind the waiting runs, by four calls
			rs, err := docs[0].Run(t.Context(), []string{cell})
			if err != nil {
				t.Fatal(err)
			}
			last = rs
		}
		for i, r := range runs {
			res := sessiontest.Wait(t, r)
			test.Eq(t, run.Done, res.State)
			test.Eq(t, fmt.Sprintf("stdout:notebook %d\n;", i), sessiontest.Text(res.Outputs))
		}
		if res := sessiontest.Wait(t, last[0]); !strings.Contains(sessiontest.Text(res.Outputs), "['a', 'b', 'a']") {
			t.Errorf("the order was %q", sessiontest.Text(res.Outputs))
		}
		for _, r := range m.RunTable().Runs(jupyter.Path{}) {
			if got := sessiontest.Wait(t, r); got.State != run.Done {
				t.Errorf("run %s of %s: %s", r.ID, r.Path, got.State)
			}
		}
	})
}
