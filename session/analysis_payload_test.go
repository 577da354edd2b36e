package session_test

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// A reply's payload is had without a trace.
func TestAnalysisPayload(t *testing.T) {
	s := jupytertest.Shared(t)
	a := analysis(t, manager(t, s, session.Config{}), session.AnalysisOptions{})
	payload, err := a.Payload(t.Context(), "get_ipython().set_next_input('x')")
	if err != nil || len(payload) != 1 || payload[0]["source"] != "set_next_input" || payload[0]["text"] != "x" {
		t.Errorf("%v, %v", payload, err)
	}
	if res := result(t, runIn(t, a, "1")); res.Count == nil || *res.Count != 1 {
		t.Errorf("%+v", res)
	}
}
