package jupyter

import (
	"errors"
	"net/http"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The error of a refused handshake has the reason, with a sentence for each kind.
func TestDialRefused(t *testing.T) {
	status := http.StatusOK
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		answer(status, "text/html", "<h1>Page "+r.Header.Get("Authorization")+"</h1>")(w, r)
	})
	for _, tt := range []struct {
		status       int
		room, kernel error
	}{
		{403, ErrUnauthorized, ErrUnauthorized},
		{404, ErrNoCollaboration, ErrNotFound},
		{500, ErrNotFound, ErrServer},
		{503, ErrUnreachable, ErrUnreachable},
		{200, ErrNotJupyter, ErrNotJupyter},
	} {
		status = tt.status
		_, roomErr := s.Rooms.Dial(t.Context(), "json:notebook:id", "x")
		_, kernelErr := s.Kernels.Dial(t.Context(), "k", "x")
		if !errors.Is(roomErr, tt.room) {
			t.Errorf("room, %d: %v, want %v", tt.status, roomErr, tt.room)
		}
		if !errors.Is(kernelErr, tt.kernel) {
			t.Errorf("kernel, %d: %v, want %v", tt.status, kernelErr, tt.kernel)
		}
		for _, err := range []error{roomErr, kernelErr} {
			text := err.Error()
			test.StrNotContains(t, text, "Page", test.Sprint(tt.status))
			test.StrNotContains(t, text, "s3cret", test.Sprint(tt.status))
		}
	}
}

// A kernel's socket requests the binary protocol and also accepts the older one; messages beyond the limit are
// refused.
func TestDialKernelProtocol(t *testing.T) {
	var asked []string
	choose := true
	s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
		asked = websocket.Subprotocols(r)
		up := websocket.Upgrader{}
		if choose {
			up.Subprotocols = []string{KernelProtocol}
		}
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(r.URL.RequestURI()))
	})
	for _, choose = range []bool{true, false} {
		ws, err := s.Kernels.Dial(t.Context(), "a b/c", "my session")
		if err != nil {
			t.Fatal(err)
		}
		must.SliceLen(t, 1, asked)
		test.Eq(t, KernelProtocol, asked[0])
		test.Eq(t, choose, ws.Subprotocol() == KernelProtocol)
		_, uri, err := ws.ReadMessage()
		want := "/base/api/kernels/a%20b%2Fc/channels?session_id=my+session"
		must.NoError(t, err)
		test.Eq(t, want, string(uri))
		ws.Close()
	}
}
