package sdk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// chatter is a server over HTTP+SSE that accepts a connection and then sends notifications without end.
func chatter(t *testing.T) *httptest.Server {
	t.Helper()
	hello := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(name, data string) error {
			_, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
			return err
		}
		if event("endpoint", "/message") != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case answer := <-hello:
			for err := event("message", answer); err == nil && r.Context().Err() == nil; time.Sleep(20 * time.Microsecond) {
				err = errors.Join(
					event("message", `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`),
					http.NewResponseController(w).Flush())
			}
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /message", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if err == nil {
			err = json.Unmarshal(body, &request)
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		w.WriteHeader(http.StatusAccepted)
		if request.Method == "initialize" {
			hello <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"resources":{"listChanged":true}},"serverInfo":{"name":"chatter","version":"1"}}}`,
				request.ID, request.Params.ProtocolVersion)
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// A client disconnects cleanly while its server is sending.
func TestLeaves(t *testing.T) {
	for _, kit := range []sdk.Kit{sdk.TypeScript, sdk.TypeScript2, sdk.Python} {
		t.Run(kit.String(), func(t *testing.T) {
			t.Parallel()
			for range 3 {
				c, err := sdk.Start(t.Context(), sdk.Options{Kit: kit, URL: chatter(t).URL + "/sse", SSE: true})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Await(t.Context(), "notifications/resources/list_changed", nil); err != nil {
					t.Error(err)
				}
				if err := c.Close(); err != nil {
					t.Errorf("%v; the log:\n%s", err, c.Log())
				}
			}
		})
	}
}
