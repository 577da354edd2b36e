package analysis_test

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A reply's payload is had without a trace.
func TestAnalysisPayload(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		a := create(t, analysis.New(sessiontest.Manager(t, s, session.Config{})), analysis.Options{})
		payload, err := a.Payload(t.Context(), "get_ipython().set_next_input('x')")
		if err != nil || len(payload) != 1 || payload[0]["source"] != "set_next_input" || payload[0]["text"] != "x" {
			t.Errorf("%v, %v", payload, err)
		}
		if res := result(t, runIn(t, a, "1")); res.Count == nil || *res.Count != 1 {
			t.Errorf("%+v", res)
		}
	})
}
