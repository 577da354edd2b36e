package jsonrpc

import "encoding/json"

// An IDScan finds the id of a message that is too long to keep. The message is written to it in pieces.
type IDScan struct {
	depth   int
	text    bool // within a string
	escaped bool // after a backslash in it
	key     bool // the next string of the message itself is a member's name
	name    []byte
	id      []byte
	keep    *[]byte // the destination of the bytes: name, id, or nil
	done    bool
}

// maxID bounds an id, in bytes, with its quotes.
const maxID = 1024

// Write scans a piece of the message; it never fails.
func (s *IDScan) Write(p []byte) (int, error) {
	for _, c := range p {
		if s.done {
			break
		}
		s.next(c)
	}
	return len(p), nil
}

func (s *IDScan) next(c byte) {
	if s.text {
		s.hold(c)
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.text = false
			if s.key && s.depth == 1 {
				s.key, s.keep = false, nil
			}
		}
		return
	}
	switch c {
	case '"':
		s.text = true
		if s.key && s.depth == 1 {
			s.name, s.keep = s.name[:0], &s.name
		}
		s.hold(c)
	case '{', '[':
		s.depth++
		s.key = c == '{' && s.depth == 1
		s.hold(c)
	case '}', ']':
		s.depth--
		s.end()
	case ',':
		s.end()
		s.key = s.depth == 1
	case ':':
		var name string
		if s.depth == 1 && json.Unmarshal(s.name, &name) == nil && name == "id" {
			s.id, s.keep = nil, &s.id
		}
	case ' ', '\t', '\r', '\n':
	default:
		s.hold(c)
	}
}

// end ends a member of the message.
func (s *IDScan) end() {
	s.done = s.keep == &s.id && s.depth <= 1
	if s.done {
		s.keep = nil
	}
}

func (s *IDScan) hold(c byte) {
	if s.keep != nil && len(*s.keep) <= maxID {
		*s.keep = append(*s.keep, c)
	}
}

// ID returns the id, or nil if none was found or it is not valid.
func (s *IDScan) ID() json.RawMessage {
	if !s.done || len(s.id) > maxID || !json.Valid(s.id) || !validID(s.id) {
		return nil
	}
	return s.id
}
