package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// MaxAnswerBytes bounds an answer on the wire, with text, structured content and images: hosts cut at about a megabyte.
const MaxAnswerBytes = 1_000_000

// AnswerBudget is the part of [MaxAnswerBytes] that an answer may use; the rest is for the envelope.
const AnswerBudget = MaxAnswerBytes - 20_000

// An Answer is a tool's result before its conversion to MCP's form.
type Answer struct {
	// Body is the result object. It is sent as text, and as structured content if that is requested.
	Body any
	// Parts, if set, returns the texts of the answer, which replace the body as text: each as JSON, unless it is [Verbatim],
	// or a [Place] of an image. The body contains all their information.
	Parts func() []any
	// Words, if set, returns the answer in words, which replace the body and the parts as text. It is called after each
	// change of the body. Set it if [InWords] returns true.
	Words func() plaintext.Text
	// Settle, if set, settles the hints of an answer in words, see [textfmt.Hint]. It applies only to nbduet's own lines;
	// quoted texts stay as they are.
	Settle func(string) string
	// Images are shown after the texts, in order, unless a part is their place.
	Images []Image
	// Resources follow the images: links to resources, or embedded ones.
	Resources []mcp.Content
	// Meta is the answer's _meta, or nil.
	Meta map[string]any
	// Doc is the document that the answer is about, or nil. If its file is not up to date, the answer says so.
	Doc Document
	// People has a line for each person in a cell that the call has touched.
	People []string
	// Moved, if not nil, is called once, after the words are made. It returns where cells are that others have moved.
	Moved func() string
	// file is the note about the document's file; nil until the document was asked.
	file *FileNote
}

// A Document is the subject of an answer: an open notebook or text.
type Document interface {
	// Path is the document's path on the Jupyter server.
	Path() jupyter.Path
	// Unsaved returns the reason why its file is not up to date, or "".
	Unsaved() string
	// Overwritten returns, once, the warning that earlier edits may be lost, or "".
	Overwritten() string
	// Away returns the reason why its current state is unknown, such as a server that is away, or "".
	Away() string
	// Older returns, once, the warning that its file has an older format, which a save converts, or "".
	Older() string
	// Tabs returns, once, the warning that people's tabs do not show it, or "".
	Tabs() string
}

// A FileNote is the note about the document's file that every answer about a document can have.
type FileNote struct {
	Saved       *bool  `json:"saved,omitempty" jsonschema:"false if the file lacks changes of the shared document; absent otherwise."`
	SaveProblem string `json:"save_problem,omitempty" jsonschema:"Why the file is not up to date."`
	Away        string `json:"server_away,omitempty" jsonschema:"Why this is not the current shared document: its server is unreachable, or it is damaged."`
	Tabs        string `json:"tabs,omitempty" jsonschema:"Reported once: people's tabs do not show edits live."`
	Older       string `json:"older_format,omitempty" jsonschema:"Reported once: saving converts the file."`
	Overwritten string `json:"overwritten,omitempty" jsonschema:"Reported once: another program wrote the file, or the server restarted, so earlier edits may be lost; read again."`
	// People has another name in JSON, because some answers list people themselves. It is nil without such lines.
	People *[]string `json:"carets,omitempty" jsonschema:"Who is in a cell that the call touched."`
}

// notes returns the note in words.
func (n FileNote) notes() []string {
	out := said(n.Away, n.Overwritten, n.Tabs, n.Older, n.SaveProblem)
	if n.People != nil {
		out = append(out, *n.People...)
	}
	return out
}

// Ask asks the document for the note about its file, the first time only, because the document returns parts of it only
// once.
func (a *Answer) Ask() FileNote {
	if a.Doc == nil {
		return FileNote{People: a.people()}
	}
	if a.file == nil {
		a.file = &FileNote{SaveProblem: a.Doc.Unsaved(), Overwritten: a.Doc.Overwritten(), Away: a.Doc.Away(), Tabs: a.Doc.Tabs(), Older: a.Doc.Older()}
		if a.file.SaveProblem != "" {
			a.file.Saved = new(bool)
		}
	}
	said := *a.file
	said.People = a.people()
	return said
}

func (a *Answer) people() *[]string {
	if a.Moved != nil {
		if line := a.Moved(); line != "" {
			a.People = append(a.People, line)
		}
		a.Moved = nil
	}
	if len(a.People) == 0 {
		return nil
	}
	return &a.People
}

// encode returns the body as compact JSON, with the note about the document's file.
func (a *Answer) encode() (json.RawMessage, error) {
	body, err := Compact(a.Body)
	if err != nil {
		return body, err
	}
	said := a.Ask()
	if said == (FileNote{}) || len(body) < len(`{"":0}`) || body[0] != '{' {
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
	Sent func() // is called when the answer is sent; may be nil
}

// A Fault is an error of this program that the caller cannot correct. It is answered as a protocol error.
type Fault struct{ Err error }

// Kind returns "fault".
func (f Fault) Kind() string { return "fault" }

func (f Fault) Error() string { return f.Err.Error() }
func (f Fault) Unwrap() error { return f.Err }

// A Coded error has a code that clients can test for. It is answered as a JSON object.
type Coded struct {
	Code    string `json:"error"` // such as "session_not_found"
	Message string `json:"message"`
}

// Kind returns the code.
func (c Coded) Kind() string { return c.Code }

func (c Coded) Error() string { return c.Message }

// A reworded error has another text.
type reworded struct {
	error
	text string
}

func (e reworded) Error() string { return e.text }
func (e reworded) Unwrap() error { return e.error }

// Kind is empty: a reworded error is of the kind of the original.
func (reworded) Kind() string { return "" }

// Reworded returns an error with another text; the same error if that is its text already.
func Reworded(err error, text string) error {
	if err.Error() == text {
		return err
	}
	return reworded{err, text}
}

// Compact marshals v on one line, leaving <, > and & readable.
func Compact(v any) (json.RawMessage, error) { return Indented(v, "") }

// Indented is Compact with a line for each member, indented by its depth; an empty indent means one line.
func Indented(v any, indent string) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Verbatim is a part of an answer that is sent unchanged, not as JSON.
type Verbatim string

// A Place is a part of an answer where one of its images is shown, by its index.
type Place int

// texts returns the texts of the answer whose structured content is body. places maps an image's index to the text before
// which it is shown.
func (a *Answer) texts(words *plaintext.Text, body json.RawMessage) (out []string, places map[int]int, err error) {
	if words != nil {
		t := *words
		t.Notes = append(t.Notes, a.Ask().notes()...)
		if a.Settle != nil {
			t = t.Own(a.Settle)
		}
		return []string{t.String()}, nil, nil
	}
	if a.Parts == nil {
		return []string{string(body)}, nil, nil
	}
	places = map[int]int{}
	for _, part := range a.Parts() {
		switch part := part.(type) {
		case Verbatim:
			out = append(out, string(part))
		case Place:
			places[int(part)] = len(out)
		default:
			b, err := Compact(part)
			if err != nil {
				return nil, nil, err
			}
			out = append(out, string(b))
		}
	}
	return out, places, nil
}

// WireSize returns the size of body and images in an answer, as the MCP library writes them.
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

// A written answer is the answer's content in the protocol's form, without its resources.
type written struct {
	content []mcp.Content
	body    json.RawMessage
	size    int // in bytes, with the resources
}

// write makes the answer's content and structured content, and counts their bytes.
func (a *Answer) write() (w written, err error) {
	var texts []string
	var places map[int]int
	var words *plaintext.Text
	if a.Words != nil {
		t := a.Words()
		words = &t
	}
	if w.body, err = a.encode(); err == nil {
		if texts, places, err = a.texts(words, w.body); err == nil {
			w.size, err = sizeOf(texts, w.body, a.Images)
		}
	}
	shown := 0
	show := func(before int) {
		for ; shown < len(a.Images); shown++ {
			if at, placed := places[shown]; !placed && before < len(texts) || placed && at > before {
				return
			}
			w.content = append(w.content, mcp.NewImageContent(a.Images[shown].Data, a.Images[shown].MIME))
		}
	}
	for i, t := range texts {
		show(i)
		w.content = append(w.content, mcp.NewTextContent(t))
	}
	show(len(texts))
	for _, r := range a.Resources {
		b, problem := json.Marshal(r)
		w.size, err = w.size+len(b), errors.Join(err, problem)
	}
	if err != nil {
		return written{}, Fault{fmt.Errorf("write the answer: %w", err)}
	}
	return w, nil
}

// fits reports whether the answer is within [MaxAnswerBytes].
func (a *Answer) fits() (bool, error) {
	w, err := a.write()
	return err == nil && w.size <= AnswerBudget, err
}

// Trim calls shorter, which shortens the body, until the answer fits or shorter returns false.
func (a *Answer) Trim(shorter func() bool) error {
	for {
		if ok, err := a.fits(); ok || err != nil {
			return err
		}
		if !shorter() {
			return Fault{errors.New("the answer is too long to send")}
		}
	}
}

// TrimTo shortens a part of the body, of n entries or characters at first, by a quarter at a time until the answer fits.
// keep shortens the part to its argument.
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

// Result converts the answer to MCP's form. It has structured content if structured is true and the answer has no picture or
// link: half of the hosts show a model only the structured content if there is any, and the picture would be lost
// (anthropics/claude-code issues 54737, 55677; microsoft/vscode 290063).
func (a *Answer) Result(structured bool) (*mcp.CallToolResult, error) {
	w, err := a.write()
	if err != nil {
		return nil, err
	}
	if w.size > MaxAnswerBytes {
		return nil, Fault{fmt.Errorf("the answer takes %d bytes, the limit is %d", w.size, MaxAnswerBytes)}
	}
	for _, img := range a.Images {
		if img.Sent != nil {
			img.Sent()
		}
	}
	result := &mcp.CallToolResult{Content: append(w.content, a.Resources...)}
	if structured && len(a.Images)+len(a.Resources) == 0 {
		result.StructuredContent = w.body
	}
	if a.Meta != nil {
		result.Meta = &mcp.Meta{AdditionalFields: a.Meta}
	}
	return result, nil
}

// Failure answers err: as a tool error if the caller can act on it, otherwise as a protocol error.
func Failure(err error) (*mcp.CallToolResult, error) {
	if f := (Fault{}); errors.As(err, &f) {
		return nil, err
	}
	const most = 20_000
	if c := (Coded{}); errors.As(err, &c) {
		c.Message, _ = textfmt.Cut(err.Error(), most)
		if b, err := Compact(c); err == nil {
			return mcp.NewToolResultError(string(b)), nil
		}
	}
	message, _ := textfmt.Cut(err.Error(), most)
	return mcp.NewToolResultError(message), nil
}
