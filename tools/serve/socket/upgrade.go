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

// A Refusal says why a request cannot become a connection, and with which status to answer it.
type Refusal struct {
	Status  int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Check says what is wrong with a request that asks for a connection; an error is a [Refusal].
func Check(r *http.Request) error {
	switch {
	case r.ProtoMajor != 1 || !websocket.IsWebSocketUpgrade(r):
		return &Refusal{http.StatusUpgradeRequired, "this address is for WebSocket connections, over HTTP/1.1: other clients go to /mcp"}
	case r.ContentLength != 0:
		return &Refusal{http.StatusBadRequest, "a request for a WebSocket connection has no body"}
	case !slices.Contains(websocket.Subprotocols(r), Protocol):
		return &Refusal{http.StatusBadRequest, `offer the subprotocol "mcp": Sec-WebSocket-Protocol: mcp`}
	}
	return nil
}

// Upgrade makes a connection of a request that passes [Check], whose sender and origin the caller has checked. If the
// error is a [Refusal], the request is still to be answered.
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

// errGone is the end of a connection of which the client is to hear nothing, because it is not there.
var errGone = errors.New("the connection is gone")
