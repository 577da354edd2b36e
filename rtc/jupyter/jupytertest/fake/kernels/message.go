package kernels

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// message is a message from or to a kernel. Its parts are JSON.
type message struct {
	channel                           string
	kind                              string // the type in the header
	header, parent, metadata, content json.RawMessage
	buffers                           [][]byte
	idle                              bool // a status message with "idle"
	bare                              bool // made by the server: legacy sockets get it without its list of buffers
}

// header is the header of a message, in Jupyter's order of fields.
type header struct {
	ID       string `json:"msg_id"`
	Type     string `json:"msg_type"`
	Username string `json:"username"`
	Session  string `json:"session"`
	Date     string `json:"date"`
	Version  string `json:"version"`
}

// size returns the size of a message for the rate limit.
func (m *message) size() int {
	n := len(m.header) + len(m.parent) + len(m.metadata) + len(m.content)
	for _, b := range m.buffers {
		n += len(b)
	}
	return n
}

// stamp formats a time as Jupyter does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func newUUID() string {
	s := randomHex(16)
	return strings.Join([]string{s[:8], s[8:12], "4" + s[13:16], "a" + s[17:20], s[20:]}, "-")
}

// raw encodes a value that can be encoded.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// newMessage makes a message of a session; n is its number in the process.
func newMessage(session string, pid, n int, channel, kind string, content, parent json.RawMessage) *message {
	if len(parent) == 0 {
		parent = json.RawMessage("{}")
	}
	h := header{
		ID: fmt.Sprintf("%s_%d_%d", session, pid, n), Type: kind, Username: "username", Session: session, Date: stamp(time.Now()), Version: "5.4",
	}
	return &message{
		channel: channel, kind: kind, header: raw(h), parent: parent, metadata: json.RawMessage("{}"), content: content,
		idle: kind == "status" && strings.Contains(string(content), `"idle"`),
	}
}

func status(state string) json.RawMessage { return raw(map[string]string{"execution_state": state}) }
