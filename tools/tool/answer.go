package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// MaxAnswerBytes bounds an answer as it is on the wire, text, structured content and images together: hosts cut at
// about a megabyte.
const MaxAnswerBytes = 1_000_000

// AnswerRoom is what an answer may take of [MaxAnswerBytes]; the rest is for the envelope.
const AnswerRoom = MaxAnswerBytes - 20_000

// An Answer is a tool's result before it is put into MCP's form.
type Answer struct {
	// body is the result object; it is marshalled once, and stands in the answer as text and as structured content.
	Body any
	// parts, where there is one, gives the texts of the answer in place of the body, each as JSON save for what is
	// [Verbatim]. The body has all that they say.
	Parts func() []any
	// images are shown beside the body, in order.
	Images []Image
	// resources stand behind them: addresses that can be read, or what is there.
	Resources []mcp.Content
	// meta stands beside all that in the answer's _meta; nil for nothing.
	Meta map[string]any
	// doc is the document that the answer is about, nil for none; where its file does not follow, the answer says so.
	Doc Document
	// file is what there is to say of that file, once it has been asked.
	file *FileNote
}

// A Document is what an answer can be about: an open notebook or text.
type Document interface {
	// Path is the document's path on the Jupyter server.
	Path() string
	// Unsaved says why its file does not follow, "" where it does.
	Unsaved() string
	// Overwritten says once that edits made before may be undone, "" where they are not.
	Overwritten() string
}

// A FileNote is what every answer about a document can have besides its own.
type FileNote struct {
	Saved       *bool  `json:"saved,omitempty" jsonschema:"false where the notebook's file does not have what the shared document has; absent otherwise."`
	SaveProblem string `json:"save_problem,omitempty" jsonschema:"Why the file does not follow."`
	Overwritten string `json:"overwritten,omitempty" jsonschema:"Said once: edits made before may be undone or missing, by another program's write to the file or a restart of the server; read again."`
}

// Ask asks the document for what is to be said of its file; some of it is said once only.
func (a *Answer) Ask() FileNote {
	if a.file == nil {
		a.file = &FileNote{SaveProblem: a.Doc.Unsaved(), Overwritten: a.Doc.Overwritten()}
		if a.file.SaveProblem != "" {
			a.file.Saved = new(bool)
		}
	}
	return *a.file
}

// encode is the body as compact JSON, with what is to be said of the document's file.
func (a *Answer) encode() (json.RawMessage, error) {
	body, err := Compact(a.Body)
	if err != nil || a.Doc == nil {
		return body, err
	}
	said := a.Ask()
	if said == (FileNote{}) {
		return body, nil
	}
	note, err := Compact(said)
	if err != nil {
		return nil, err
	}
	return append(append(body[:len(body)-1:len(body)-1], ','), note[1:]...), nil
}

// An Image is one picture of an answer.
type Image struct {
	MIME string
	Data string // base64 without line breaks
}

// A Fault is an error of this program's own, which the caller can do nothing about: it is answered as a protocol error.
type Fault struct{ Err error }

func (f Fault) Error() string { return f.Err.Error() }
func (f Fault) Unwrap() error { return f.Err }

// A Coded error is one that a client can tell by its code: it is answered as a JSON object.
type Coded struct {
	Code    string `json:"error"` // such as "session_not_found"
	Message string `json:"message"`
}

func (c Coded) Error() string { return c.Message }

// Compact marshals v on one line, leaving <, > and & readable.
func Compact(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Verbatim is a part of an answer that is text as it stands.
type Verbatim string

// texts are the texts of the answer, of which body is the structured content.
func (a *Answer) texts(body json.RawMessage) ([]string, error) {
	if a.Parts == nil {
		return []string{string(body)}, nil
	}
	var out []string
	for _, part := range a.Parts() {
		if v, ok := part.(Verbatim); ok {
			out = append(out, string(v))
			continue
		}
		b, err := Compact(part)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}

// WireSize is how many bytes body and images take in an answer, as the MCP library writes them.
func WireSize(body json.RawMessage, images []Image) (int, error) {
	return sizeOf([]string{string(body)}, body, images)
}

func sizeOf(texts []string, body json.RawMessage, images []Image) (int, error) {
	asText, err := json.Marshal(texts)
	if err != nil {
		return 0, err
	}
	structured, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	n := len(asText) + len(structured) + 50*(len(texts)-1)
	for _, img := range images {
		n += len(img.Data) + len(img.MIME) + 50
	}
	return n, nil
}

// write makes the answer's texts and structured content, and counts the bytes that they and the images take.
func (a *Answer) write() (texts []string, body json.RawMessage, n int, err error) {
	if body, err = a.encode(); err == nil {
		if texts, err = a.texts(body); err == nil {
			n, err = sizeOf(texts, body, a.Images)
		}
	}
	for _, r := range a.Resources {
		b, problem := json.Marshal(r)
		n, err = n+len(b), errors.Join(err, problem)
	}
	if err != nil {
		return nil, nil, 0, Fault{fmt.Errorf("write the answer: %w", err)}
	}
	return texts, body, n, nil
}

// fits tells whether the answer is within [MaxAnswerBytes].
func (a *Answer) fits() (bool, error) {
	_, _, n, err := a.write()
	return err == nil && n <= AnswerRoom, err
}

// Trim shortens the body by shorter until it may be sent, or shorter can do no more.
func (a *Answer) Trim(shorter func() bool) error {
	for {
		if ok, err := a.fits(); ok || err != nil {
			return err
		}
		if !shorter() {
			return Fault{errors.New("the answer is too long to be sent")}
		}
	}
}

// TrimTo shortens a part of the body, of n entries or characters at first, by a quarter at a time until the answer may be
// sent: keep leaves that many of them.
func (a *Answer) TrimTo(n int, keep func(n int)) error {
	return a.Trim(func() bool {
		if n == 0 {
			return false
		}
		n = n * 3 / 4
		keep(n)
		return true
	})
}

// Result puts the answer into MCP's form.
func (a *Answer) Result() (*mcp.CallToolResult, error) {
	texts, body, n, err := a.write()
	if err != nil {
		return nil, err
	}
	if n > MaxAnswerBytes {
		return nil, Fault{fmt.Errorf("the answer takes %d bytes, more than the %d that are sent", n, MaxAnswerBytes)}
	}
	var content []mcp.Content
	for _, t := range texts {
		content = append(content, mcp.NewTextContent(t))
	}
	for _, img := range a.Images {
		content = append(content, mcp.NewImageContent(img.Data, img.MIME))
	}
	content = append(content, a.Resources...)
	result := &mcp.CallToolResult{Content: content, StructuredContent: body}
	if a.Meta != nil {
		result.Meta = &mcp.Meta{AdditionalFields: a.Meta}
	}
	return result, nil
}

// Failure answers err: as a tool error where the caller can act on it, else as a protocol error.
func Failure(err error) (*mcp.CallToolResult, error) {
	if f := (Fault{}); errors.As(err, &f) {
		return nil, err
	}
	const most = 20_000
	if c := (Coded{}); errors.As(err, &c) {
		c.Message, _ = Cut(err.Error(), most)
		if b, err := Compact(c); err == nil {
			return mcp.NewToolResultError(string(b)), nil
		}
	}
	message, _ := Cut(err.Error(), most)
	return mcp.NewToolResultError(message), nil
}
