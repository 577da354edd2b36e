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

// A server that reads a notebook and finds a partial file moves it aside, to name.ipynb.invalid, and replaces it by
// the copy that it makes before each save (jupyter_server, fileio.py, _read_notebook), as after a crash. It does so
// even while it is saving the notebook itself: the written content is lost, or the file disappears, and the room
// never saves again. So notebooks are read as text, which moves nothing. The server reads one as a notebook only when
// nothing is writing it: when it is whole and in a format that only the server reads, or has been broken for a while.

// settled is how many times in a row a text that is not JSON must be read, with pauses, before it counts as the
// file's content; mostReads bounds the number of readings of a file that keeps changing.
const (
	settled   = 4
	mostReads = 40
)

// notebook reads a notebook's content, for [Contents.Get].
func (c Contents) notebook(ctx context.Context, path Path, opt ContentsOptions) (Content, error) {
	asText := opt
	asText.Type, asText.Format = "file", "text"
	var last json.RawMessage
	same := 0
	for try := 1; ; try++ {
		file, err := c.read(ctx, path, asText)
		if errors.Is(err, ErrBadRequest) {
			return c.read(ctx, path, opt) // not a file, or not text: no save in progress explains it
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
			return file, &Error{Op: "read contents of", Path: file.Path.p, Message: "it keeps changing", kind: ErrBadRequest}
		}
		select {
		case <-ctx.Done():
			return file, ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// A brokenError is the server's refusal of a file that does not change.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// notebookOf converts a file's text, a JSON string, into the server's answer for a notebook: lists of lines are
// joined. It returns nil if only the server can convert it; whole reports whether the text is at least complete JSON.
func notebookOf(file json.RawMessage) (content json.RawMessage, whole bool) {
	var text string
	if json.Unmarshal(file, &text) != nil {
		return nil, true // not a Jupyter server's answer
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

// surrogate matches the escape of half a UTF-16 pair. Python fails on one without its other half.
var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F]`)

// maxNested bounds the nesting of a notebook that is read without the server: Python's parser has a limit.
const maxNested = 100

// nested returns the nesting depth of a JSON text.
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

// joinCell joins the lists of lines of a cell, and reports whether it is a cell.
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

// joinBundle joins the texts of a MIME bundle, except JSON values.
func joinBundle(v any) bool {
	bundle, ok := v.(map[string]any)
	for mime := range bundle {
		if mime != "application/json" && !(strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")) {
			_ = join(bundle, mime) // a value that is not text stays
		}
	}
	return ok
}

// join makes the member m[key] a single text if it is a list of lines, and reports whether it is a text then.
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
