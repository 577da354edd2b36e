package tools_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A read says for each cell whether its source has edits that the server has not confirmed yet.
func TestReadSaysWhichCellsAreNotConfirmed(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		r := toolstest.NewOn(t, cable.Server)
		path := s.Notebook(t, "x = 1", "y = 2", "z = 3")
		unconfirmed := func() (ids []string) {
			t.Helper()
			for _, c := range r.Read(path).Cells {
				if c.Unconfirmed {
					ids = append(ids, c.ID)
				}
			}
			return ids
		}
		if ids := unconfirmed(); ids != nil {
			t.Errorf("before: %v", ids)
		}
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c0"}, "content": "x = 4"}}}, nil)
		if ids := unconfirmed(); ids != nil {
			t.Errorf("after a confirmed edit: %v", ids)
		}
		cable.Stall()
		r.Bad("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": "y = 5"}}}, "not confirmed")
		if ids := unconfirmed(); !slices.Equal(ids, []string{"c1"}) {
			t.Errorf("not confirmed: %v, want c1 alone", ids)
		}
		cable.Mend()
		time.Sleep(time.Minute)
		if ids := unconfirmed(); ids != nil {
			t.Errorf("when the server is back: %v", ids)
		}

		// In words.
		cable.Stall()
		r.Bad("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c2"}, "content": "z = 6"}}}, "not confirmed")
		m := r.Connect(tools.Config{Work: r.Work, Activity: r.Record})
		defer m.Close()
		said := 0
		for line := range strings.Lines(toolstest.MessageOf(r.CallAs(m, "read_nb_cells", toolstest.Dict{"path": path}))) {
			if strings.Contains(line, "unconfirmed") {
				if said++; !strings.Contains(line, "2 c2") {
					t.Errorf("in words: %q", line)
				}
			}
		}
		if said != 1 {
			t.Errorf("in words it is said %d times", said)
		}
		cable.Mend()
	})
}
