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

// A run writes the kernel's language into a notebook without one.
func TestRunFillsLanguage(t *testing.T) {
	for name, c := range map[string]struct{ had, want any }{
		"none":      {nil, "python"},
		"no name":   {map[string]any{"name": ""}, "python"},
		"another":   {map[string]any{"name": "stata"}, "python"},
		"the same":  {map[string]any{"name": "python", "version": "2.7"}, "python"},
		"no object": {"python", "python"},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), s.Notebook(t, "1"))
				must.NoError(t, d.Edit(t.Context(), "metadata", func(e *ydoc.Editor) error { return e.SetMetadata("language_info", c.had) }))
				test.Eq(t, run.Done, sessiontest.Run(t, d, "c0")[0].State)
				got, _ := d.Notebook().Metadata()["language_info"].(map[string]any)
				test.Eq(t, c.want, got["name"])
				if name == "the same" {
					test.Eq[any](t, "2.7", got["version"], test.Sprint("a newer version is not written into every notebook that is run"))
				} else {
					test.Eq[any](t, ".py", got["file_extension"])
				}
			})
		})
	}
}
