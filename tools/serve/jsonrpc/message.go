package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"
)

// A Message is the part of a JSON-RPC message that says what it is. A member that it lacks is nil, and one that is null
// is the text null.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	// Params is what is asked.
	Params json.RawMessage `json:"params"`

	lone string // half a character in the params, "" for none
}

// Read reads a message; ok is false if it is no JSON object.
func Read(text []byte) (m Message, ok bool) {
	if json.Unmarshal(text, &m) != nil || bytes.HasPrefix(bytes.TrimSpace(text), []byte("null")) {
		return Message{}, false
	}
	m.lone = loneSurrogate(m.Params) // an id may be anything
	return m, true
}

// Is reports whether the message is a request or a notification of that method.
func (m Message) Is(method mcp.MCPMethod) bool {
	var name string
	return json.Unmarshal(m.Method, &name) == nil && name == string(method)
}

// Answer reports whether the message answers a request.
func (m Message) Answer() bool { return m.Method == nil && (m.Result != nil || m.Error != nil) }

// Wrong says what is wrong with a message that is neither a request nor a notification nor an answer, and the id with
// which to answer that. It is "" for a message that is well.
func (m Message) Wrong() (why string, id json.RawMessage) {
	if m.Answer() {
		return "", nil
	}
	if m.ID != nil && !validID(m.ID) {
		return "the id is neither a string nor a number", nil
	}
	var name *string
	if json.Unmarshal(m.Method, &name) != nil || name == nil {
		return "the method is not a string", m.ID
	}
	if m.lone != "" {
		return "the message holds half a character, the lone surrogate " + m.lone + ": write whole characters, such as \\ud83d\\ude00; nothing was done", m.ID
	}
	return "", nil
}

// validID reports whether the text is a string or a number.
func validID(text json.RawMessage) bool {
	c := text[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// Failure is the answer to a message that cannot be served; no id is null.
func Failure(id json.RawMessage, code int, why string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	// Marshal would change the id.
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted(why))
}

// AnswerText is mcp-go's answer to the request with that id, as it is sent.
func AnswerText(answer mcp.JSONRPCMessage, id json.RawMessage) []byte {
	b, err := json.Marshal(answer)
	if err != nil {
		return Failure(id, mcp.INTERNAL_ERROR, "the answer is not JSON")
	}
	return b
}

// quoted is a text as JSON.
func quoted(text string) []byte {
	return lo.Must(json.Marshal(text)) // a string always is JSON
}

// Quiet is an answer as mcp-go drops it if nothing waits for it. It answers an error that nothing waits for with an
// error, but drops all that has a result; one that something waits for is an error all the same.
func (m Message) Quiet() []byte {
	if m.ID == nil {
		m.ID = json.RawMessage("null")
	}
	if m.Result == nil || string(m.Result) == "null" {
		m.Result = json.RawMessage("{}")
	}
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s`, m.ID, m.Result)
	if m.Error != nil {
		b = fmt.Appendf(b, `,"error":%s`, m.Error)
	}
	return append(b, '}')
}

// A Cancellation is what notifications/cancelled says.
type Cancellation struct {
	ID     any // of the cancelled request, as mcp-go reads it
	Reason string
}

// ReadCancellation reads notifications/cancelled.
func ReadCancellation(text []byte) (c Cancellation, ok bool) {
	var read struct {
		Params struct {
			ID     any `json:"requestId"`
			Reason any `json:"reason"`
		} `json:"params"`
	}
	if json.Unmarshal(text, &read) != nil || read.Params.ID == nil {
		return Cancellation{}, false
	}
	reason, _ := read.Params.Reason.(string)
	return Cancellation{ID: read.Params.ID, Reason: reason}, true
}
