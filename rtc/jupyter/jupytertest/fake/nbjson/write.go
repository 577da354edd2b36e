package nbjson

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// Write returns the file of a notebook, without changing the notebook. It returns an error if nbformat could not
// write it: a cell is not an object or lacks metadata, a code cell lacks outputs, or an output lacks a type.
func Write(nb map[string]any) ([]byte, error) {
	nb, _ = clone(nb).(map[string]any)
	cells, err := cellsOf(nb)
	if err != nil {
		return nil, err
	}
	giveIDs(nb, cells)
	for i, c := range cells {
		if err := splitCell(c); err != nil {
			return nil, fmt.Errorf("cell %d: %w", i, err)
		}
	}
	if err := strip(nb, cells); err != nil {
		return nil, err
	}
	return append(appendJSON(nil, nb, 1), '\n'), nil
}

// splitCell splits a cell's texts into lists of lines (nbformat, rwbase.py, split_lines).
func splitCell(c map[string]any) error {
	if s, ok := c["source"].(string); ok {
		c["source"] = lines(s)
	}
	attachments, _ := c["attachments"].(map[string]any)
	for _, a := range attachments {
		splitBundle(a)
	}
	typ, ok := c["cell_type"]
	if !ok {
		return errors.New("it has no type")
	}
	if typ != "code" {
		return nil
	}
	outputs, ok := c["outputs"].([]any)
	if !ok {
		return errors.New("it has no outputs")
	}
	for i, v := range outputs {
		o, _ := v.(map[string]any)
		switch typ, ok := o["output_type"]; {
		case !ok:
			return fmt.Errorf("output %d has no type", i)
		case typ == "execute_result" || typ == "display_data":
			splitBundle(o["data"])
		case typ == "stream":
			text, ok := o["text"]
			if !ok {
				return fmt.Errorf("output %d is a stream without text", i)
			}
			if s, ok := text.(string); ok {
				o["text"] = lines(s)
			}
		}
	}
	return nil
}

// splitBundle splits the texts of a MIME bundle.
func splitBundle(v any) {
	bundle, _ := v.(map[string]any)
	for mime, value := range bundle {
		if !strings.HasPrefix(mime, "text/") && mime != "application/javascript" && mime != "image/svg+xml" {
			continue
		}
		if s, ok := value.(string); ok {
			bundle[mime] = lines(s)
		}
	}
}

// strip drops the members that files do not have (nbformat, rwbase.py, strip_transient).
func strip(nb map[string]any, cells []map[string]any) error {
	metadata, ok := nb["metadata"].(map[string]any)
	if !ok {
		return errors.New("the notebook has no metadata")
	}
	for _, k := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
		delete(metadata, k)
	}
	for i, c := range cells {
		m, ok := c["metadata"].(map[string]any)
		if !ok {
			return fmt.Errorf("cell %d has no metadata", i)
		}
		delete(m, "trusted")
	}
	return nil
}

// giveIDs gives an id to each cell without one, and a new one to duplicates (nbformat, validator.py, _normalize).
func giveIDs(nb map[string]any, cells []map[string]any) {
	if minor, _ := nb["nbformat_minor"].(int); minor < 5 {
		return
	}
	seen := map[any]bool{}
	for _, c := range cells {
		if id, ok := c["id"]; !ok || seen[id] {
			c["id"] = newID()
		}
		if id, ok := c["id"].(string); ok {
			seen[id] = true
		}
	}
}

// newID returns an id in nbformat's form.
func newID() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// lines splits a text after each line end of Python's str.splitlines.
func lines(s string) []any {
	list := []any{}
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch r {
		case '\r':
			if i < len(s) && s[i] == '\n' {
				i++
			}
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		default:
			continue
		}
		list = append(list, s[start:i])
		start = i
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

// clone copies a plain value.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := maps.Clone(v)
		for k, e := range m {
			m[k] = clone(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clone(e)
		}
		return l
	}
	return v
}
