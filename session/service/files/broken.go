package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// A file with a notebook's name that is not a valid notebook, after a merge conflict or an interrupted write, has no room.
// It can be read as text, and written again once it is repaired.

// A BrokenError reports why a file with a notebook's name is not a valid notebook.
type BrokenError struct {
	Path jupyter.Path
	Text string // of the file
	Err  error  // the error in the text, with the line
	room error  // why it could not be opened
}

// Kind returns "", so that the kind is that of the error of opening the notebook.
func (e *BrokenError) Kind() string { return "" }

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s cannot be read as a notebook: %v", e.Path, e.Err)
}

func (e *BrokenError) Unwrap() error { return e.room }

// Broken turns the error of opening a notebook with an invalid file into a [*BrokenError]; it returns other errors
// unchanged.
func (f *Files) Broken(ctx context.Context, path jupyter.Path, err error) error {
	var end *rtc.CloseError
	if !refusedrooms.Is(err) || !errors.As(err, &end) {
		return err
	}
	p, text, fault, readErr := f.fileText(ctx, path)
	if readErr != nil {
		return fmt.Errorf("%w; nor as text: %w", err, readErr)
	}
	if fault == nil {
		fault = nbformat.Fault(text)
	}
	if fault == nil {
		fault = fmt.Errorf("%s; it is not retried until the file changes"+textfmt.Hint(", or once more after end_nb_session"), end.Reason)
	}
	return &BrokenError{Path: p, Text: text, Err: fault, room: err}
}

// fileText returns the text of a file, regardless of its name, and the fault of its encoding.
func (f *Files) fileText(ctx context.Context, path jupyter.Path) (p jupyter.Path, text string, fault, err error) {
	var c jupyter.Content
	if err := jupyter.Whole(ctx, func() (err error) {
		c, err = f.srv.Contents.Get(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
		return err
	}); errors.Is(err, jupyter.ErrBadRequest) {
		return f.otherText(ctx, path)
	} else if err != nil {
		return jupyter.Path{}, "", nil, err
	}
	err = json.Unmarshal(c.Content, &text)
	if rest, marked := strings.CutPrefix(text, "\ufeff"); marked {
		text, fault = rest, errors.New("the file begins with a byte order mark, which Jupyter does not read"+remedy)
	}
	return c.Path, text, fault, err
}

// remedy ends a message about a file's encoding.
const remedy = "; the shown text is right, and is written as UTF-8 without a mark"

// otherText returns the text of a file that is not UTF-8: UTF-16 if it begins with a byte order mark, else Windows-1252.
func (f *Files) otherText(ctx context.Context, path jupyter.Path) (p jupyter.Path, text string, fault, err error) {
	c, err := f.srv.Contents.Get(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "base64"})
	if err != nil {
		return p, "", nil, err
	}
	var data []byte
	if err := json.Unmarshal(c.Content, &data); err != nil {
		return p, "", nil, err
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		data, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data)
		return c.Path, string(data), errors.New("the file is UTF-16, and Jupyter reads UTF-8" + remedy), err
	}
	line, bad := 1, byte(0)
	for rest := data; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			bad = rest[0]
			break
		}
		if r == '\n' {
			line++
		}
		rest = rest[n:]
	}
	data, err = charmap.Windows1252.NewDecoder().Bytes(data)
	return c.Path, string(data), fmt.Errorf("line %d: the file is not UTF-8 but probably Windows-1252 (byte 0x%02x)%s", line, bad, remedy), err
}

// Mend replaces a broken notebook. It returns an error if the file no longer contains was.
func (f *Files) Mend(ctx context.Context, path jupyter.Path, was, content string) error {
	c := jupyter.NewContent{Type: "notebook", Format: "json", Content: json.RawMessage(pyjson.Standard([]byte(content)))}
	if nbformat.Older(content) { // the server writes only format 4 from JSON
		c = jupyter.NewContent{Type: "file", Format: "text", Content: content}
	} else if _, err := nbformat.Parse(content); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	switch _, now, _, err := f.fileText(ctx, path); {
	case err != nil:
		return err
	case now != was:
		return errors.New("nothing was changed: the file was written meanwhile; read it again, then repeat the change")
	}
	_, err := f.srv.Contents.Put(ctx, path, c)
	f.m.Refused.Forget(path)
	return err
}
