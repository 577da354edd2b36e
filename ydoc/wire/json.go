package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// jsonValues reads a run of values in Yjs' older encoding: JSON texts, or the bare word undefined. It returns their
// number.
func (u *updateReader) jsonValues() uint64 {
	n := u.values()
	for range n {
		start := u.off
		p := u.VarString(u.lim.StringBytes)
		if u.err != nil {
			return 0
		}
		if string(p) != "undefined" {
			u.checkJSON(start, p)
		}
	}
	return n
}

// json reads one JSON text, the content of an embed or the value of a format mark.
func (u *updateReader) json() {
	start := u.off
	p := u.VarString(u.lim.StringBytes)
	if u.err == nil {
		u.checkJSON(start, p)
	}
}

// checkJSON fails unless p is JSON that encoding/json can decode, within the limits for plain values.
func (u *updateReader) checkJSON(start int, p []byte) {
	if !json.Valid(p) {
		u.failAt(start, ReasonJSON, "%.40q", p)
		return
	}
	depth, inString := 1, false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			depth++
			if depth > u.lim.Depth {
				u.failAt(start, ReasonLimit, "JSON is nested deeper than %d", u.lim.Depth)
				return
			}
		case c == ']' || c == '}':
			depth--
		case c == ',' || c == ':':
			if u.nValues++; u.nValues > u.lim.Values {
				u.failAt(start, ReasonLimit, "more than %d values", u.lim.Values)
				return
			}
		case c >= '0' && c <= '9':
			n := len(p[i:]) - len(bytes.TrimLeft(p[i:], "0123456789.eE+-"))
			// Only very long or exponential numbers can be beyond a float64.
			if n > 300 || bytes.ContainsAny(p[i:i+n], "eE") {
				if _, err := strconv.ParseFloat(string(p[i:i+n]), 64); err != nil {
					u.failAt(start, ReasonJSON, "the number %.40s is too large", p[i:i+n])
					return
				}
			}
			i += n - 1
		}
	}
}
