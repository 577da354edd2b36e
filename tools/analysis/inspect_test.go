package analysis_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// The variables of a notebook are listed by its path, without a session, and no kernel is started for it.
func TestInspectNotebook(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel's own values")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "answer = 42")
		r.Bad("inspect_data", toolstest.Dict{"path": path}, "no_kernel", "no running kernel")
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		if got := toolstest.MessageOf(r.Good("inspect_data", toolstest.Dict{"path": path}, nil)); !strings.Contains(got, `"answer"`) {
			t.Errorf("%s", got)
		}
		if got := toolstest.MessageOf(r.Good("inspect_data", toolstest.Dict{"path": path, "name": "answer"}, nil)); !strings.Contains(got, "42") {
			t.Errorf("%s", got)
		}
		r.Bad("inspect_data", toolstest.Dict{"path": path, "name": "nothing"}, "variable_not_found")
		var list struct {
			Sessions []any `json:"sessions"`
		}
		r.Good("session_list", toolstest.Dict{}, &list)
		if len(list.Sessions) != 0 {
			t.Errorf("a session is left: %v", list)
		}
		r.Bad("inspect_data", toolstest.Dict{"path": "no/such.csv"}, "no file")
		r.Bad("inspect_data", toolstest.Dict{"path": "no/such.png"}, "no file")
	})
}
