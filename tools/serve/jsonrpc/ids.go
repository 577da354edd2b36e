package jsonrpc

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// IDs brings the ids of requests through mcp-go as they are. It reads a number as a float64, so that 2^53+1 comes back
// as another request's id, and 1.0 as 1; and it takes "1" and 1 for the same where it looks for a request to cancel. An
// id that it would change goes in as a string made from it, and that comes out as the id.
type IDs struct {
	mark string // begins the strings; nobody can guess it
	used atomic.Bool
}

// NewIDs makes one.
func NewIDs() *IDs { return &IDs{mark: "id-" + rand.Text() + "-"} }

var encoding = base64.RawURLEncoding

// In is a message for mcp-go: the same text, unless an id in it would not come back.
func (x *IDs) In(text []byte, m Message) []byte {
	if m.Method == nil {
		return text
	}
	if m.ID != nil {
		if x.safe(m.ID) {
			return text
		}
		return x.replaced(text, []string{"id"})
	}
	if m.Is(mcp.MethodNotificationCancelled) {
		var c struct {
			Params struct {
				ID json.RawMessage `json:"requestId"`
			} `json:"params"`
		}
		if json.Unmarshal(text, &c) == nil && len(c.Params.ID) > 0 && validID(c.Params.ID) && !x.safe(c.Params.ID) {
			return x.replaced(text, []string{"params", "requestId"})
		}
	}
	return text
}

// safe reports whether mcp-go brings an id back as it is, and mistakes it for no other.
func (x *IDs) safe(id json.RawMessage) bool {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return false // a number that is too large
	}
	if s, ok := v.(string); ok && (strings.HasPrefix(s, x.mark) || s != "" && strings.Contains("-0123456789", s[:1])) {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && bytes.Equal(again, id)
}

// replaced is a message whose id at that path is replaced. It is the text itself if it is not as it should be.
func (x *IDs) replaced(text []byte, path []string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return text
	}
	for name, value := range fields {
		if !strings.EqualFold(name, path[0]) { // as encoding/json finds it
			continue
		}
		if len(path) > 1 {
			fields[name] = x.replaced(value, path[1:])
			continue
		}
		x.used.Store(true)
		fields[name] = quoted(x.mark + encoding.EncodeToString(value))
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return text
	}
	return b
}

// Out is what mcp-go has written, with the ids as they came in.
func (x *IDs) Out(text []byte) []byte {
	if !x.used.Load() {
		return text
	}
	begin := []byte(`"` + x.mark)
	var out []byte
	for {
		// A quote within a string has a backslash before it, so what is found is a whole string.
		at := bytes.Index(text, begin)
		if at < 0 {
			break
		}
		rest := text[at+len(begin):]
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			break
		}
		id, err := encoding.DecodeString(string(rest[:end]))
		if err != nil {
			id = text[at : at+len(begin)+end+1]
		}
		out = append(append(out, text[:at]...), id...)
		text = rest[end+1:]
	}
	if out == nil {
		return text
	}
	return append(out, text...)
}
