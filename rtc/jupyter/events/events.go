// Package events hears from a Jupyter server what happens on it: files that are written through its Contents API, by
// anybody, kernels that are started and ended, rooms that are saved. What other programs do to files and kernels it does
// not tell. [Follow] is safe for concurrent use; its goroutines end before it returns.
package events

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

const (
	// ping is how often the server is asked for a sign of life, and silence how long it may give none.
	ping    = 15 * time.Second
	silence = 40 * time.Second
	// bye bounds taking leave.
	bye = time.Second
	// maxEvent bounds one event; the server's own are a few hundred bytes.
	maxEvent = 1 << 20
	// contents is in the name of the schema of what happens to files, whatever its version.
	contents = "/jupyter_server/contents_service/"
)

// ErrLost is of a subscription that was lost.
var ErrLost = jupyter.Fixed("the subscription to the server's events was lost")

// Follow subscribes to a server's events and counts each that tells of a change in its Changes, until the context ends,
// which is no error, or the subscription is lost, which matches [ErrLost]. begun is called when the server tells us what
// happens. Other errors are those of the subscription, which no server before 2.0 has.
func Follow(ctx context.Context, srv *jupyter.Server, begun func()) error {
	ws, err := srv.DialEvents(ctx)
	if err != nil {
		return unless(ctx, err)
	}
	begun()
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		beat(ctx, ws, ended)
		_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(bye))
		_ = ws.Close()
	})
	err = read(ws, srv)
	srv.Changes.Note() // what happens from now on is not heard
	close(ended)
	wg.Wait()
	return unless(ctx, errors.Join(ErrLost, err))
}

// unless is the error if the context has not ended.
func unless(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// beat asks for signs of life until the subscription ends.
func beat(ctx context.Context, ws *websocket.Conn, ended <-chan struct{}) {
	tick := time.NewTicker(ping)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			return
		case <-tick.C:
		}
		if ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(ping)) != nil {
			return
		}
	}
}

// read counts changes until the connection ends.
func read(ws *websocket.Conn, srv *jupyter.Server) error {
	ws.SetReadLimit(maxEvent)
	alive := func(string) error { return ws.SetReadDeadline(time.Now().Add(silence)) }
	ws.SetPongHandler(alive)
	for {
		if err := alive(""); err != nil {
			return err
		}
		_, b, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		if changes(b) {
			srv.Changes.Note()
		}
	}
}

// changes reports whether an event may tell of a change. That somebody has read a file is none; what is not understood may
// be one.
func changes(event []byte) bool {
	var e struct {
		Schema string `json:"schema_id"`
		Action string `json:"action"`
	}
	return json.Unmarshal(event, &e) != nil || e.Action != "get" || !strings.Contains(e.Schema, contents)
}
