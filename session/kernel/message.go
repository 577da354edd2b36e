package kernel

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"
)

// protocolVersion is the version of the messaging protocol that requests are written in.
const protocolVersion = "5.4"

// header is a message's header.
type header struct {
	ID       string `json:"msg_id"`
	Type     string `json:"msg_type"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Version  string `json:"version"`
}

// incoming is a message from the kernel, or from the server in its name.
type incoming struct {
	channel   string // "iopub", "shell", "stdin", "control"
	header    header
	rawHeader json.RawMessage // as it came, to be sent back as the parent of an answer
	parent    parentHeader
	content   json.RawMessage
}

// parentHeader is what is looked at of the header of the request that a message belongs to.
type parentHeader struct {
	ID   string `json:"msg_id"`
	Type string `json:"msg_type"`
}

// outgoing is a message to the kernel.
type outgoing struct {
	channel string
	header  header
	parent  json.RawMessage // nil for none
	content any

	// wanted tells, just before the message is written, whether it is to be sent at all; nil means yes.
	wanted func() bool
	// written is called when the message is on its way; nil for nothing.
	written func()
}

// idMaker makes the headers of one connection's messages.
type idMaker struct {
	session string
	count   atomic.Uint64
}

func newIDMaker() *idMaker { return &idMaker{session: randomID()} }

func (m *idMaker) header(msgType string) header {
	return header{
		ID:       m.session + "_" + strconv.FormatUint(m.count.Add(1), 10),
		Type:     msgType,
		Session:  m.session,
		Username: "nbduet",
		Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		Version:  protocolVersion,
	}
}

func randomID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
