package socket

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// Protocol is the WebSocket subprotocol, which a client has to offer.
const Protocol = "mcp"

// A Refusal is the reason why a request cannot become a connection, with the status of the response.
type Refusal struct {
	Status  int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Check checks a request for a connection; an error is a [Refusal].
func Check(r *http.Request) error {
	switch {
	case r.ProtoMajor != 1 || !websocket.IsWebSocketUpgrade(r):
		return &Refusal{http.StatusUpgradeRequired, "this address is for WebSocket connections, over HTTP/1.1: other clients use /mcp"}
	case r.ContentLength != 0:
		return &Refusal{http.StatusBadRequest, "a WebSocket request must not have a body"}
	case !slices.Contains(websocket.Subprotocols(r), Protocol):
		return &Refusal{http.StatusBadRequest, `offer the subprotocol "mcp": Sec-WebSocket-Protocol: mcp`}
	}
	return nil
}

// Upgrade makes a connection from a request that passes [Check]; the caller must have checked its sender and origin. If the
// error is a [Refusal], the caller must answer the request.
func Upgrade(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	var refused *Refusal
	up := websocket.Upgrader{
		Subprotocols:     []string{Protocol},
		HandshakeTimeout: time.Minute,
		CheckOrigin:      func(*http.Request) bool { return true },
		Error: func(_ http.ResponseWriter, _ *http.Request, status int, reason error) {
			refused = &Refusal{status, reason.Error()}
		},
	}
	ws, err := up.Upgrade(w, r, nil)
	switch {
	case refused != nil:
		return nil, refused
	case err != nil:
		return nil, errors.Join(errGone, err)
	}
	return &Conn{ws: ws}, nil
}

// errGone means that the connection is lost, so no reason can be sent to the client.
var errGone = errors.New("the connection is lost")
