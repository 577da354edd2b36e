package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"
)

// A Message is the part of a JSON-RPC message that identifies it. A missing member is nil, and a null member is the text
// null.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	// Params has the parameters.
	Params json.RawMessage `json:"params"`

	lone string // half a character in the params, or ""
}

// Read reads a message; ok is false if it is not a JSON object.
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

// Wrong returns the error of a message that is not a valid request, notification or answer, and the id for the response. It
// returns "" for a valid message.
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
		return "the message contains the lone surrogate " + m.lone + ": write whole characters, such as \\ud83d\\ude00; nothing was done", m.ID
	}
	return "", nil
}

// validID reports whether the text is a string or a number.
func validID(text json.RawMessage) bool {
	c := text[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// Failure returns the error response to a message; a nil id is sent as null.
func Failure(id json.RawMessage, code int, why string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	// Marshal would change the id.
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted(why))
}

// AnswerText returns the text of mcp-go's answer to the request with that id.
func AnswerText(answer mcp.JSONRPCMessage, id json.RawMessage) []byte {
	b, err := json.Marshal(answer)
	if err != nil {
		return Failure(id, mcp.INTERNAL_ERROR, "the answer is not JSON")
	}
	return b
}

// quoted returns a text as a JSON string.
func quoted(text string) []byte {
	return lo.Must(json.Marshal(text)) // a string can always be encoded
}

// Quiet returns an answer in a form that mcp-go drops if no request waits for it. mcp-go responds to an unexpected error
// with an error, but drops any message with a result; if a request waits for it, it still gets the error.
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

// A Cancellation is the content of notifications/cancelled.
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
