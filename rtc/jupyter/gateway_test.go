package jupyter

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

const (
	noGateway = `{"message":"ConnectionError was received from Gateway server url '%s'.  Check to be sure the Gateway instance is running.","reason":null}`
	gatewayID = "0b1cbe43-97ae-4f3b-8a6e-19f6d5b7a7d2"
)

// A server whose gateway is gone is there: it is not known to be away, and what it says of one kernel is not believed.
func TestGatewayAway(t *testing.T) {
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimPrefix(r.URL.Path, "/base"); {
		case path == "/api":
			answer(200, jsonType, `{"version":"2.21.1"}`)(w, r)
		case path == "/api/kernels", path == "/api/status":
			answer(503, jsonType, noGateway)(w, r)
		case strings.HasSuffix(path, "/restart"):
			answer(500, jsonType, `{"message":"Exception restarting kernel","reason":null}`)(w, r)
		default: // what it last heard
			answer(200, jsonType, `{"id":"`+gatewayID+`","execution_state":"idle"}`)(w, r)
		}
	})
	_, err := s.Status(t.Context())
	isOf(t, "the status", err, faults.GatewayAway)
	_, err = s.Kernel(t.Context(), gatewayID)
	isOf(t, "a kernel", err, faults.GatewayAway)
	_, err = s.Restart(t.Context(), gatewayID)
	isOf(t, "a restart", err, faults.GatewayAway)
	if _, away := s.Away(); away || errors.Is(err, ErrUnreachable) || s.Busy(t.Context()) != nil {
		t.Errorf("the server is taken to be away: %v", err)
	}
}

// A kernel is what the list says, which a server has from its gateway, and only else what is said of it alone.
func TestKernelOfTheList(t *testing.T) {
	for _, c := range []struct {
		name, list string
		status     int
		state      string
	}{
		{"in the list", `[{"id":"other","execution_state":"dead"},{"id":"k","execution_state":"busy"}]`, 200, "busy"},
		{"not in the list", `[]`, 200, "idle"},
		{"a list that may not be seen", `{"message":"Error from Gateway: [%s] %s."}`, 403, "idle"},
		{"a list that fails", `{"message":"Unhandled error"}`, 500, "idle"},
	} {
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/kernels") {
				answer(c.status, jsonType, c.list)(w, r)
				return
			}
			answer(200, jsonType, `{"id":"k","execution_state":"idle"}`)(w, r)
		})
		if k, err := s.Kernel(t.Context(), "k"); err != nil || k.ExecutionState != c.state {
			t.Errorf("%s: %q, %v, want %q", c.name, k.ExecutionState, err, c.state)
		}
	}
}
