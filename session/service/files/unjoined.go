package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A document that is not open anywhere is read and written through its file, without a room. If it is open, or the server
// does not report that, the room counts: it may have content that the file lacks.

// maxUnjoined is the size of the largest text that is read through its file, in bytes; for a larger one, opening it reports
// that it is too large.
const maxUnjoined = 16 << 20

// A JoinedError reports that a document was not written through its file, because it was opened meanwhile.
type JoinedError struct {
	// Written reports that the file was written anyway, and the room has other content. The server considers the file
	// newer, so [Files.Follow] must be called after any edit in the room.
	Written bool
}

func (e *JoinedError) Error() string {
	return "the document was just opened in a tab: read it again, then repeat the change"
}

// An Unjoined is a document that is not open, for one call: a replica of its file, without a room. An edit of it is written
// into the file. It is not safe for concurrent use.
type Unjoined struct {
	f    *Files
	file jupyter.Content // as it was read
	id   string          // of the file, "" for none
	nb   *ydoc.Notebook  // nil for a text
	text *ydoc.Text      // nil for a notebook
}

// Unjoined reads a document, of a type of the Contents API, if it is not open. It returns nil if the document is open, if
// that is unknown, or if the file cannot be read: opening the document then reports the reason.
func (f *Files) Unjoined(ctx context.Context, path jupyter.Path, typ string) *Unjoined {
	id, apart := f.apart(ctx, path, typ)
	if !apart {
		return nil
	}
	u := &Unjoined{f: f, id: id}
	if err := u.read(ctx, path, typ); err != nil {
		f.m.Log().Debug("a document is not read from its file", "path", path, "error", err)
		return nil
	}
	if _, apart := f.apart(ctx, path, typ); !apart {
		return nil // the room has the latest edits
	}
	return u
}

// apart reports whether a document is not open, here or elsewhere, and returns the server's id of its file.
func (f *Files) apart(ctx context.Context, path jupyter.Path, typ string) (id string, ok bool) {
	if f.m.IsOpen(path) {
		return "", false
	}
	format, kind := "text", "file"
	if typ == "notebook" {
		format, kind = "json", typ
	}
	room := f.srv.Rooms.LookInto(ctx, path, format, kind)
	return room.FileID, room.Closed
}

// read makes the replica.
func (u *Unjoined) read(ctx context.Context, path jupyter.Path, typ string) error {
	opt := jupyter.ContentsOptions{Content: true, Type: "notebook", Hash: true}
	if typ != "notebook" {
		opt.Type, opt.Format = "file", "text"
	}
	err := jupyter.Whole(ctx, func() (err error) {
		u.file, err = u.f.srv.Contents.Get(ctx, path, opt)
		return err
	})
	if err != nil {
		return err
	}
	content := u.file.Content
	u.file.Content = nil
	if typ == "notebook" {
		u.nb, err = nbformat.Replica(content)
		return err
	}
	if size := u.file.Size; size != nil && *size > maxUnjoined {
		return fmt.Errorf("the file has %d bytes", *size)
	}
	var text string
	if err := json.Unmarshal(content, &text); err != nil {
		return err
	}
	u.text = ydoc.NewText()
	return u.text.Edit("file", func(e *ydoc.TextEditor) error {
		return e.SetText(strings.ReplaceAll(text, "\r\n", "\n")) // as in a room
	})
}

// As returns the document as read by a client.
func (u *Unjoined) As(client string) readset.Reader { return readset.Of(u, u.f.m.Memory(), client) }

// Path returns the document's path in the Contents API.
func (u *Unjoined) Path() jupyter.Path { return u.file.Path }

// FileID implements [readset.Document]. For a file without an id it returns one made from the path, under which nothing is
// known later.
func (u *Unjoined) FileID() string {
	if u.id == "" {
		return "file " + u.file.Path.String()
	}
	return u.id
}

// Notebook implements [readset.Document].
func (u *Unjoined) Notebook() *ydoc.Notebook { return u.nb }

// Text implements [readset.Document].
func (u *Unjoined) Text() *ydoc.Text { return u.text }

// Point implements [readset.Document]. Without a room it does nothing.
func (u *Unjoined) Point(context.Context, string, int) {}

// Edit implements [readset.Document]. It returns when the file has the edit. The error is a [*JoinedError] if the document
// was opened meanwhile.
func (u *Unjoined) Edit(ctx context.Context, name string, fn func(*ydoc.Editor) error) error {
	if u.nb == nil {
		return fmt.Errorf("%s: %w: it is a text document", name, session.ErrNotNotebook)
	}
	was := u.content()
	if err := u.nb.Edit(name, fn); err != nil {
		return err
	}
	return u.write(ctx, was, jupyter.NewContent{Type: "notebook", Format: "json", Content: nbformat.File(u.nb)})
}

// WriteText implements [readset.Document], as Edit does.
func (u *Unjoined) WriteText(ctx context.Context, name string, fn func(*ydoc.TextEditor) error, made func(*ydoc.Text)) error {
	if u.text == nil {
		return fmt.Errorf("%s: %w: it is a notebook", name, session.ErrNotText)
	}
	was := u.content()
	if err := u.text.Edit(name, fn); err != nil {
		return err
	}
	if made != nil {
		made(u.text)
	}
	return u.write(ctx, was, jupyter.NewContent{Type: "file", Format: "text", Content: u.text.String()})
}

// content returns the document as one text, for comparison.
func (u *Unjoined) content() string { return contentOf(u.nb, u.text) }

func contentOf(nb *ydoc.Notebook, text *ydoc.Text) string {
	if text != nil {
		return text.String()
	}
	b, err := json.MarshalIndent(nbformat.Of(nb), "", " ")
	if err != nil {
		return "" // a replica has only JSON values
	}
	return string(b)
}

// write writes the file, if it is unchanged since it was read and the document was not opened meanwhile. The Contents API
// overwrites without asking, and a room loads its file's content, so write checks again after the write.
func (u *Unjoined) write(ctx context.Context, was string, c jupyter.NewContent) error {
	if u.content() == was {
		return nil
	}
	switch now, err := u.f.srv.Contents.Get(ctx, u.Path(), jupyter.ContentsOptions{Hash: true}); {
	case err != nil:
		return err
	case now.Hash != u.file.Hash, now.Hash == "" && !now.LastModified.Equal(u.file.LastModified):
		return errors.New("nothing was changed: the file was written meanwhile; read it again, then repeat the change")
	}
	if _, apart := u.f.apart(ctx, u.Path(), u.file.Type); !apart {
		return &JoinedError{}
	}
	if _, err := u.f.srv.Contents.Put(ctx, u.Path(), c); err != nil {
		return err
	}
	if _, apart := u.f.apart(ctx, u.Path(), u.file.Type); apart {
		return nil
	}
	d, err := u.f.room(ctx, u.file)
	if err == nil && d == nil {
		err = errors.New("it can have none")
	}
	if err != nil {
		return fmt.Errorf("the file was written, but the document was opened in a tab at the same time, and its room cannot be opened; read it again: %w", err)
	}
	defer d.Release()
	if now := contentOf(d.Notebook(), d.Text()); textdiff.Keeps(was, u.content(), now) {
		return nil // the room was made of the new file
	}
	return &JoinedError{Written: true}
}

// followTries bounds how often a file is written because people edit meanwhile.
const followTries = 5

// Follow writes the content of a document's room into its file, and makes the server load it from there: a file written
// outside the room would replace the room's content.
func (f *Files) Follow(ctx context.Context, d *session.Document) error {
	for range followTries {
		fresh, err := d.Ahead(ctx, d.Path())
		if err != nil || fresh == nil {
			return err
		}
		if _, err := f.srv.Contents.Put(ctx, d.Path(), *fresh); err != nil {
			return err
		}
		// The server checks the file before it saves, and finds that another program wrote it, with the room's content.
		release, err := d.SaveAndHold(ctx)
		if err != nil {
			return err
		}
		release()
	}
	return fmt.Errorf("the file of %s lacks text that is being typed", textfmt.Quoted(d.Path().String()))
}
