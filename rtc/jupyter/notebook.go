package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// A server that is asked for a notebook and finds half a file moves that aside, to name.ipynb.invalid, and puts in its
// place the copy that it makes before each save (jupyter_server, fileio.py, _read_notebook), as after a crash. It does so
// also while it is saving the notebook itself: what it writes then goes down, or the file is gone, and the room never saves
// again. So notebooks are read as texts, which moves nothing, and the server is asked for a notebook only where nobody
// writes it: where it is whole and of a form that only the server reads, or has been broken for a while.

// settled is how often in a row a text that is no JSON is read, with a pause between, before it is taken for what the file
// is; mostReads bounds the readings of one that changes all the time.
const (
	settled   = 4
	mostReads = 40
)

// notebook reads a notebook's content, as [Contents.Get] does.
func (c Contents) notebook(ctx context.Context, path Path, opt ContentsOptions) (Content, error) {
	asText := opt
	asText.Type, asText.Format = "file", "text"
	var last json.RawMessage
	same := 0
	for try := 1; ; try++ {
		file, err := c.read(ctx, path, asText)
		if errors.Is(err, ErrBadRequest) {
			return c.read(ctx, path, opt) // no file, or no text: no save makes one of it
		}
		if err != nil {
			return file, err
		}
		content, whole := notebookOf(file.Content)
		switch {
		case content != nil:
			file.Type, file.Format, file.Content, file.MimeType = "notebook", "json", content, ""
			return file, nil
		case whole:
			return c.read(ctx, path, opt)
		case try > 1 && bytes.Equal(file.Content, last):
			same++
		default:
			last, same = file.Content, 0
		}
		if same == settled-1 {
			file, err = c.read(ctx, path, opt)
			if errors.Is(err, ErrBadRequest) {
				err = &brokenError{err}
			}
			return file, err
		}
		if try == mostReads {
			return file, &Error{Op: "read contents of", Path: file.Path.p, Message: "it is being written all the time", kind: ErrBadRequest}
		}
		select {
		case <-ctx.Done():
			return file, ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// A brokenError is the server's refusal of a file that was seen not to change.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// notebookOf makes of a file's text, a JSON string, what the server would answer: lists of lines are joined. It is nil if
// only the server can tell; whole reports whether the text is at least whole JSON.
func notebookOf(file json.RawMessage) (content json.RawMessage, whole bool) {
	var text string
	if json.Unmarshal(file, &text) != nil {
		return nil, true // another server's answer
	}
	text = string(pyjson.Standard([]byte(text)))
	if nested(text) > maxNested || surrogate.MatchString(text) {
		return nil, json.Valid([]byte(text))
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	nb, _ := v.(map[string]any)
	cells, isList := nb["cells"].([]any)
	if _, hasMetadata := nb["metadata"].(map[string]any); nb["nbformat"] != json.Number("4") || !isList || !hasMetadata {
		return nil, true
	}
	minor, ok := nb["nbformat_minor"].(json.Number)
	if !ok {
		return nil, true
	}
	withID, err := minor.Int64()
	if err != nil {
		return nil, true
	}
	seen := make(map[string]bool)
	for _, c := range cells {
		cell, _ := c.(map[string]any)
		id, _ := cell["id"].(string)
		if withID >= 5 && (id == "" || seen[id]) || !joinCell(cell) {
			return nil, true
		}
		seen[id] = true
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(nb); err != nil {
		return nil, true
	}
	return out.Bytes(), true
}

// surrogate matches the escape of a half of a UTF-16 pair. Python fails on one without its other half.
var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

// maxNested is how deep a notebook may be nested that is read without asking the server: Python's parser has a limit.
const maxNested = 100

// nested is how deep a JSON text is nested.
func nested(text string) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}

// joinCell joins the lists of lines of a cell, and reports whether it is one.
func joinCell(cell map[string]any) bool {
	kind, _ := cell["cell_type"].(string)
	if _, hasMetadata := cell["metadata"].(map[string]any); kind == "" || !hasMetadata || !join(cell, "source") {
		return false
	}
	if list, ok := cell["attachments"].(map[string]any); ok {
		for _, bundle := range list {
			if !joinBundle(bundle) {
				return false
			}
		}
	}
	if kind != "code" {
		return true
	}
	outputs, ok := cell["outputs"].([]any)
	for _, o := range outputs {
		output, _ := o.(map[string]any)
		switch output["output_type"] {
		case "stream":
			ok = ok && join(output, "text")
		case "execute_result", "display_data":
			ok = ok && joinBundle(output["data"])
		case "error":
		default:
			return false
		}
	}
	return ok
}

// joinBundle joins the texts of a bundle of MIME types, but for what is JSON.
func joinBundle(v any) bool {
	bundle, ok := v.(map[string]any)
	for mime := range bundle {
		if mime != "application/json" && !(strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")) {
			_ = join(bundle, mime) // what is no text stays
		}
	}
	return ok
}

// join makes a text of a member that is one, or a list of its lines, and reports whether it is.
func join(m map[string]any, key string) bool {
	lines, ok := m[key].([]any)
	if !ok {
		_, ok = m[key].(string)
		return ok
	}
	var b strings.Builder
	for _, line := range lines {
		s, ok := line.(string)
		if !ok {
			return false
		}
		b.WriteString(s)
	}
	m[key] = b.String()
	return true
}
