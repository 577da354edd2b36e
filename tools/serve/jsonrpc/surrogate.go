package jsonrpc

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
)

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
