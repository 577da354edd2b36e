package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// A file that is named as a notebook and is none, after a merge conflict or a write that was cut off, has no room. It can
// be read as text, and written again once it is mended.

// A BrokenError says why a file that is named as a notebook is none.
type BrokenError struct {
	Path jupyter.Path
	Text string // of the file
	Err  error  // what is wrong with the text, with the line
	room error  // why it could not be opened
}

// Kind is the one of the error that opening it gave.
func (e *BrokenError) Kind() string { return "" }

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s cannot be read as a notebook: %v", e.Path, e.Err)
}

func (e *BrokenError) Unwrap() error { return e.room }

// Broken turns the error of opening a notebook whose file is none into a [*BrokenError]; other errors stay as they are.
func (f *Files) Broken(ctx context.Context, path jupyter.Path, err error) error {
	var end *rtc.CloseError
	if !errors.As(err, &end) || end.Code != rtc.CodeInvalid {
		return err
	}
	p, text, readErr := f.fileText(ctx, path)
	if readErr != nil {
		return fmt.Errorf("%w; nor as text: %w", err, readErr)
	}
	fault := nbformat.Fault(text)
	if fault == nil {
		fault = errors.New(end.Reason)
	}
	return &BrokenError{Path: p, Text: text, Err: fault, room: err}
}

// fileText is the text of a file, whatever its name says.
func (f *Files) fileText(ctx context.Context, path jupyter.Path) (p jupyter.Path, text string, err error) {
	var c jupyter.Content
	if err := jupyter.Whole(ctx, func() (err error) {
		c, err = f.srv.Contents(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
		return err
	}); err != nil {
		return jupyter.Path{}, "", err
	}
	err = json.Unmarshal(c.Content, &text)
	return c.Path, text, err
}

// Mend writes a notebook in place of a broken one. It refuses if the file is not what was anymore.
func (f *Files) Mend(ctx context.Context, path jupyter.Path, was, content string) error {
	if _, err := nbformat.Parse(content); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	switch _, now, err := f.fileText(ctx, path); {
	case err != nil:
		return err
	case now != was:
		return errors.New("nothing was changed: somebody has written the file meanwhile; read it again, then repeat the change")
	}
	_, err := f.srv.PutContents(ctx, path, jupyter.NewContent{Type: "notebook", Format: "json", Content: json.RawMessage(pyjson.Standard([]byte(content)))})
	return err
}
