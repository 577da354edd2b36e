package kernel

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/samber/lo"
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

// incoming is a message from the kernel, or from the server on its behalf.
type incoming struct {
	channel   string // "iopub", "shell", "stdin", "control"
	header    header
	rawHeader json.RawMessage // as received, for the parent header of an answer
	parent    parentHeader
	content   json.RawMessage
}

// parentHeader is the used part of the header of the request that a message belongs to.
type parentHeader struct {
	ID   string `json:"msg_id"`
	Type string `json:"msg_type"`
}

// outgoing is a message to the kernel.
type outgoing struct {
	channel string
	id      string
	// header, parent header, metadata, content: as JSON
	parts [4][]byte

	// sending is called just before the message is written, and reports whether to write it; nil means yes. It comes
	// before the write, because the answer can come before the write returns.
	sending func() bool
	// unsent, if not nil, is called when the write has failed.
	unsent func()
}

// newOutgoing returns a message; parent is the JSON of the header that it answers, nil for none. JSON must be able to
// represent the content.
func newOutgoing(channel string, head header, parent json.RawMessage, content any) outgoing {
	if len(parent) == 0 {
		parent = []byte("{}")
	}
	return outgoing{channel: channel, id: head.ID, parts: [4][]byte{encoded(head), parent, []byte("{}"), encoded(content)}}
}

func encoded(v any) []byte {
	return lo.Must(json.Marshal(v)) // headers and contents are maps and structs of strings and bools
}

// idMaker makes the headers of one connection's messages.
type idMaker struct {
	session string
	part    string // distinguishes the ids from those of an earlier connection of the session and of the server
	count   atomic.Uint64
}

// newIDMaker makes the ids of a new session. A server with a jupyter_client before 7, such as Enterprise Gateway, sends the
// kernel an info request under our session when we connect, and counts its requests in the same way: if our ids were only
// numbers, the end of that request could be mistaken for the end of ours.
func newIDMaker() *idMaker { return &idMaker{session: randomID(), part: "n"} }

func (m *idMaker) header(msgType string) header {
	return header{
		ID:       m.session + "_" + m.part + strconv.FormatUint(m.count.Add(1), 10),
		Type:     msgType,
		Session:  m.session,
		Username: "nbduet",
		Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		Version:  protocolVersion,
	}
}

// infoRequest makes a kernel_info_request.
func (m *idMaker) infoRequest(channel string) outgoing {
	return newOutgoing(channel, m.header("kernel_info_request"), nil, struct{}{})
}

func randomID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
