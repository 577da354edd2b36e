package jsonrpc

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf16"

	"github.com/mark3labs/mcp-go/mcp"
)

// IDs passes the ids of requests through mcp-go unchanged. mcp-go reads a number as a float64, so 2^53+1 comes back as
// another request's id, and 1.0 as 1; and it treats "1" and 1 as equal when it searches for a request to cancel. IDs
// replaces an id that would change with a string made from it, and replaces the string with the id in the output.
type IDs struct {
	mark string // prefix of the strings; it cannot be guessed
	used atomic.Bool
}

// NewIDs returns new IDs.
func NewIDs() *IDs { return &IDs{mark: "id-" + rand.Text() + "-"} }

var encoding = base64.RawURLEncoding

// In returns a message for mcp-go: the same text, unless an id in it would change.
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

// safe reports whether mcp-go returns an id unchanged and does not confuse it with another.
func (x *IDs) safe(id json.RawMessage) bool {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return false // the number is too large
	}
	if s, ok := v.(string); ok && (strings.HasPrefix(s, x.mark) || s != "" && strings.Contains("-0123456789", s[:1])) {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && bytes.Equal(again, id)
}

// replaced returns a message with the id at that path replaced. It returns the text itself if it cannot be parsed.
func (x *IDs) replaced(text []byte, path []string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return text
	}
	for name, value := range fields {
		if !strings.EqualFold(name, path[0]) { // as in encoding/json
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

// Out returns mcp-go's output with the original ids.
func (x *IDs) Out(text []byte) []byte {
	if !x.used.Load() {
		return text
	}
	begin := []byte(`"` + x.mark)
	var out []byte
	for {
		// A quote within a string has a backslash before it, so a match is a whole string.
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

// loneSurrogate returns half a character in the strings of a message, or "" if every surrogate has its partner: an escape
// such as \ud83d without its other half, or one written as bytes. encoding/json replaces it silently, and an intended emoji
// would be written into a notebook as a replacement character.
func loneSurrogate(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 && bytes.IndexByte(text, 0xED) < 0 {
		return ""
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == 0xED && i+1 < len(text) && text[i+1] >= 0xA0 && text[i+1] <= 0xBF:
			return fmt.Sprintf("bytes %x", text[i:min(i+3, len(text))])
		case text[i] != '\\':
			continue
		}
		unit, ok := escaped(text[i:])
		if !ok {
			i++ // the character after the backslash, which may also be one
			continue
		}
		i += 5
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if low, ok := escaped(text[i+1:]); !ok || utf16.DecodeRune(unit, low) == '\uFFFD' {
			return fmt.Sprintf(`\u%04x`, unit)
		}
		i += 6
	}
	return ""
}

// escaped reads an escape such as \u00e9 at the beginning of a text.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
