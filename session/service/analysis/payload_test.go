package analysis_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Reading a reply's payload leaves no trace.
func TestAnalysisPayload(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		a := create(t, analysis.New(sessiontest.Manager(t, s, session.Config{})), analysis.Options{})
		payload, err := a.Payload(t.Context(), "get_ipython().set_next_input('x')")
		must.NoError(t, err)
		must.SliceLen(t, 1, payload)
		test.EqOp[any](t, "set_next_input", payload[0]["source"])
		test.EqOp[any](t, "x", payload[0]["text"])
		res := result(t, runIn(t, a, "1"))
		must.NotNil(t, res.Count)
		test.Eq(t, 1, *res.Count)
	})
}
