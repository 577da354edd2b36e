package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// name is nbduet's name in every configuration.
const name = "nbduet"

// An entry describes how a client starts nbduet.
type entry struct {
	command []string // with its arguments
	env     map[string]string
	remote  string // the address, if the client starts no program
}

// has reports whether an entry matches a change.
func (e *entry) has(c change) bool {
	for name, value := range c.set {
		if has, found := e.env[name]; !found || has != value {
			return false
		}
	}
	return slices.Equal(e.command, c.command)
}

// entryOf reads the members of an entry that nbduet writes.
func entryOf(members map[string]any) *entry {
	e := &entry{env: make(map[string]string)}
	env := members["env"]
	switch command := members["command"].(type) {
	case string:
		e.command = []string{command}
	case map[string]any: // Zed's form until 2025
		if path, ok := command["path"].(string); ok {
			e.command = []string{path}
		}
		members, env = command, command["env"]
	}
	args, _ := members["args"].([]any)
	for _, a := range args {
		e.command = append(e.command, fmt.Sprint(a))
	}
	switch env := env.(type) {
	case map[string]any:
		for k, v := range env {
			e.env[k] = fmt.Sprint(v)
		}
	case []any: // Jupyter AI's form
		for _, v := range env {
			if pair, ok := v.(map[string]any); ok {
				e.env[fmt.Sprint(pair["name"])] = fmt.Sprint(pair["value"])
			}
		}
	}
	for _, key := range []string{"url", "serverUrl", "httpUrl"} {
		if address, ok := members[key].(string); ok && e.remote == "" {
			e.remote = address
		}
	}
	return e
}

// A change is an edit of an entry. Members that it does not name stay.
type change struct {
	command []string
	set     map[string]string // variables
	unset   []string
}

// A format reads and writes a client's entries. Texts have no byte order mark, and lines may end with CRLF.
type format interface {
	// read returns the entry, or nil if absent.
	read(text []byte) (*entry, error)
	// put changes the entry, or creates it.
	put(text []byte, c change) ([]byte, error)
	// drop removes the entry.
	drop(text []byte) ([]byte, error)
	// rest decodes everything except the entry.
	rest(text []byte) (any, error)
}

var mark = []byte("\ufeff")

// errEdit means that an edit did not have the intended result, which should not happen.
var errEdit = errors.New("nbduet cannot change its entry without changing other text: edit the file by hand, as nbduet config prints it")

// edited applies an edit and verifies that only the entry changed. An unchanged text is returned as it was.
func edited(f format, text []byte, edit func([]byte) ([]byte, error)) ([]byte, error) {
	bare, marked := bytes.CutPrefix(text, mark)
	before, err := f.rest(bare)
	if err != nil {
		return nil, err
	}
	out, err := edit(bytes.Clone(bare))
	if err != nil {
		return nil, err
	}
	if after, err := f.rest(out); err != nil || !reflect.DeepEqual(before, after) {
		return nil, errEdit
	}
	if marked {
		out = append(bytes.Clone(mark), out...)
	}
	return out, nil
}

// put is f.put with the check of edited.
func put(f format, text []byte, c change) ([]byte, error) {
	return edited(f, text, func(b []byte) ([]byte, error) {
		out, err := f.put(b, c)
		if err != nil {
			return nil, err
		}
		if e, err := f.read(out); err != nil || e == nil || !e.has(c) {
			return nil, errEdit
		}
		return out, nil
	})
}

// drop is f.drop with the check of edited.
func drop(f format, text []byte) ([]byte, error) {
	return edited(f, text, f.drop)
}

func read(f format, text []byte) (*entry, error) { return f.read(bytes.TrimPrefix(text, mark)) }

// newline returns the line ending of a text.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// blank reports whether a text has only white space.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
