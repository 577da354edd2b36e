package tab_test

import (
	"fmt"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
)

// executeCode runs code in a session, which must succeed.
func executeCode(t *testing.T, nbduet *agent.Agent, session, code string) (out kit.CodeResult) {
	t.Helper()
	_, err := nbduet.Do(t.Context(), "execute_code", map[string]any{"session_id": session, "code": code}, &out)
	must.NoError(t, err)
	if !out.Success {
		t.Fatalf("%s: %+v", code, out)
	}
	return out
}

// kernelID returns the kernel that the tab's notebook is connected to.
func (p *person) kernelID(t *testing.T) string {
	t.Helper()
	id, err := browser.Eval[string](t.Context(), p.Tab, `window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.id ?? ""`)
	must.NoError(t, err)
	return id
}

// An analysis session and a tab share one kernel, whichever comes first, and code that the session runs appears in the
// tab with its outputs.
func TestAC7KernelIsSharedWithTheTab(t *testing.T) {
	nbduet := kit.StartAgent(t)
	t.Run("the tab first", func(t *testing.T) {
		path := kit.NewNotebook(t, kit.Code("x = 6"))
		tab := open(t, path)
		must.NoError(t, tab.run(t.Context(), 0))
		tab.see(t, nil, 0, "[1]:", "")
		var s kit.Analysis
		_, err := nbduet.Do(t.Context(), "session_connect", map[string]any{"notebook_path": path}, &s)
		must.NoError(t, err)
		id := tab.kernelID(t)
		test.True(t, s.Connected)
		test.Eq(t, path, s.Path)
		test.Eq(t, id, s.KernelID)
		if got := executeCode(t, nbduet, s.SessionID, "print(x * 7)"); got.Stdout != "42\n" || got.CellID == "" {
			t.Errorf("%+v", got)
		}
		tab.see(t, nil, 1, "[2]:", "42")
		got := executeCode(t, nbduet, s.SessionID, "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()")
		must.SliceLen(t, 1, got.Images)
		test.StrHasPrefix(t, "jupyter://sessions/"+s.SessionID+"/images/", got.Images[0].URI)
		must.NoError(t, tab.WaitView(t.Context(), "the plot", func(cells []browser.ViewCell) error {
			if len(cells) == 3 && len(cells[2].Outputs) == 1 && cells[2].Outputs[0].Width > 100 {
				return nil
			}
			return fmt.Errorf("%+v", cells)
		}))
		tab.Shoot("plotted")
		endAnalysis(t, nbduet, s, false)
		if id := tab.kernelID(t); id != s.KernelID {
			t.Errorf("the tab's kernel is %q now", id)
		}
	})
	t.Run("the session first", func(t *testing.T) {
		path := kit.NewNotebook(t, kit.Code("print(y)"))
		var s kit.Analysis
		_, err := nbduet.Do(t.Context(), "session_create", map[string]any{"notebook_path": path}, &s)
		must.NoError(t, err)
		executeCode(t, nbduet, s.SessionID, "y = 'shared'")
		tab := open(t, path)
		if id := tab.kernelID(t); s.KernelID != id {
			t.Errorf("the tab has %s, the session %+v", id, s)
		}
		must.NoError(t, tab.run(t.Context(), 0))
		tab.see(t, nil, 0, "[2]:", "shared")
		executeCode(t, nbduet, s.SessionID, "print(y.upper())")
		tab.see(t, nil, 2, "[3]:", "SHARED")
		tab.Shoot("shared")
		endAnalysis(t, nbduet, s, false)

		// Without another user, the kernel ends with the session.
		_, err = nbduet.Do(t.Context(), "session_create", map[string]any{}, &s)
		must.NoError(t, err)
		endAnalysis(t, nbduet, s, true)
	})
}

// endAnalysis ends a session; shutdown is set if its kernel must end with it.
func endAnalysis(t *testing.T, nbduet *agent.Agent, s kit.Analysis, shutdown bool) {
	t.Helper()
	var gone struct {
		Deleted  bool
		Shutdown bool `json:"kernel_shutdown"`
		Message  string
	}
	_, err := nbduet.Do(t.Context(), "session_delete", map[string]any{"session_id": s.SessionID}, &gone)
	must.NoError(t, err)
	test.True(t, gone.Deleted)
	test.Eq(t, shutdown, gone.Shutdown)
	_, err = nbduet.Do(t.Context(), "execute_code", map[string]any{"session_id": s.SessionID, "code": "1"}, nil)
	must.Error(t, err, must.Sprint("an ended session"))
	test.StrContains(t, err.Error(), `{"error":"session_not_found","message":`, test.Sprint("an ended session"))
}
