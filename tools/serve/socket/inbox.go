package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
)

// A closing is the reason for which we end a connection, as sent to the client.
type closing struct {
	code   int
	reason string
}

func (c *closing) Error() string { return c.reason }

// maxReason bounds the length of a reason on the wire, in bytes.
const maxReason = 123

// frame returns the content of the closing frame.
func (c *closing) frame() []byte {
	return websocket.FormatCloseMessage(c.code, strings.ToValidUTF8(c.reason[:min(len(c.reason), maxReason)], ""))
}

const (
	shortMessage = 64 << 10 // bytes of a message that are not reserved
	midMessage   = 1 << 20  // bytes reserved at first for a longer one
)

// inbox reads the client's messages.
type inbox struct {
	ws  *websocket.Conn
	lim Limits
	// room waits until that many bytes may be read; why is the reason if they may not.
	room func(ctx context.Context, bytes int64) (back func(), why string)

	mu      sync.Mutex
	stopped bool
	within  bool // within a message, which has its own deadline
}

func newInbox(ws *websocket.Conn, lim Limits, room func(context.Context, int64) (func(), string)) *inbox {
	in := &inbox{ws: ws, lim: lim, room: room}
	ws.SetPongHandler(func(string) error {
		if !in.within {
			in.until(in.lim.Lost)
		}
		return nil
	})
	return in
}

// until sets the deadline of the next read.
func (in *inbox) until(d time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.stopped {
		_ = in.ws.SetReadDeadline(time.Now().Add(d)) // the read reports the error
	}
}

// stop ends the current read and all later ones.
func (in *inbox) stop() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	_ = in.ws.SetReadDeadline(time.Unix(1, 0))
}

// A message is a message from the client.
type message struct {
	text []byte
	back func() // releases its bytes
	// If no bytes could be reserved for the message, id is its id, and why the reason.
	id  []byte
	why string
}

// next reads a message. An error means the connection's end: a [closing] if we end it.
func (in *inbox) next(ctx context.Context) (message, error) {
	in.until(in.lim.Lost)
	kind, r, err := in.ws.NextReader()
	if err != nil {
		return message{}, in.lost(err)
	}
	if kind != websocket.TextMessage {
		return message{}, &closing{websocket.CloseUnsupportedData, "send text frames: each is one JSON-RPC message"}
	}
	in.within = true
	defer func() { in.within = false }()
	in.until(in.lim.MessageTime)
	m, err := in.read(ctx, r)
	switch {
	case err != nil:
		return message{}, err
	case !utf8.Valid(m.text):
		m.back()
		return message{}, &closing{websocket.CloseInvalidFramePayloadData, "the message is not UTF-8"}
	}
	return m, nil
}

// lost converts the error of a read.
func (in *inbox) lost(err error) error {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		if in.within {
			return &closing{websocket.ClosePolicyViolation, fmt.Sprintf("the message did not arrive within %s", in.lim.MessageTime)}
		}
		return &closing{websocket.CloseGoingAway, "the client was silent for too long"}
	}
	return errors.Join(errGone, err)
}

// read reads a message's text. Bytes are reserved only after the first part has arrived.
func (in *inbox) read(ctx context.Context, r io.Reader) (m message, err error) {
	m.back = func() {}
	most := min(shortMessage, in.lim.Message)
	for {
		piece, err := io.ReadAll(io.LimitReader(r, most-int64(len(m.text))))
		m.text = append(m.text, piece...)
		full := int64(len(m.text)) == most
		switch {
		case err == nil && !full:
			return m, nil
		case err == nil && most >= in.lim.Message:
			if n, err := io.ReadFull(r, make([]byte, 1)); n == 0 && errors.Is(err, io.EOF) {
				return m, nil
			}
			m.back()
			return message{}, &closing{websocket.CloseMessageTooBig, fmt.Sprintf("the message is longer than %d bytes", in.lim.Message)}
		case err != nil:
			m.back()
			return message{}, in.lost(err)
		}
		if most *= midMessage / shortMessage; most > midMessage || most > in.lim.Message {
			most = in.lim.Message
		}
		m.back()
		if m.back, m.why = in.room(ctx, most); m.why != "" {
			return in.skip(m, r)
		}
	}
}

// skip reads the rest of a message for which no bytes could be reserved, and keeps its id.
func (in *inbox) skip(m message, r io.Reader) (message, error) {
	scan := &jsonrpc.IDScan{}
	_, _ = scan.Write(m.text) // never fails
	rest := io.LimitReader(r, in.lim.Message-int64(len(m.text))+1)
	n, err := io.Copy(scan, rest)
	switch {
	case err != nil:
		return message{}, in.lost(err)
	case int64(len(m.text))+n > in.lim.Message:
		return message{}, &closing{websocket.CloseMessageTooBig, fmt.Sprintf("the message is longer than %d bytes", in.lim.Message)}
	}
	return message{back: func() {}, id: scan.ID(), why: m.why}, nil
}
