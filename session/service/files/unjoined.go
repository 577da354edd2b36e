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

// A document that nobody has open is read and written by its file, and no room is made for it. Where somebody has it open,
// or where the server does not tell, it is the room that counts: it may hold what the file does not.

// maxUnjoined is the size of the largest text that is read by its file, in bytes; of a larger one the opening says that it is
// too large.
const maxUnjoined = 16 << 20

// A JoinedError says that a document was not written by its file, because somebody has opened it meanwhile.
type JoinedError struct {
	// Written tells that the file was written all the same, and the room holds something else. The server takes the file for
	// the newer of the two, so [Files.Follow] has to be called after whatever is done in the room.
	Written bool
}

func (e *JoinedError) Error() string {
	return "somebody has just opened the document: read it again, then repeat the change"
}

// An Unjoined is a document that nobody has open, for one call: a replica of its file, in no room. An edit of it is written
// into the file. It is not safe for concurrent use.
type Unjoined struct {
	f    *Files
	file jupyter.Content // as it was read
	id   string          // of the file, "" for none
	nb   *ydoc.Notebook  // nil of a text
	text *ydoc.Text      // nil of a notebook
}

// Unjoined reads a document, of a type of the Contents API, if nobody has it open. It is nil where somebody has, or where that
// is not known, or where the file is none that can be read: who opens the document then is told why.
func (f *Files) Unjoined(ctx context.Context, path jupyter.Path, typ string) *Unjoined {
	id, apart := f.apart(ctx, path, typ)
	if !apart {
		return nil
	}
	u := &Unjoined{f: f, id: id}
	if err := u.read(ctx, path, typ); err != nil {
		f.m.Log().Debug("a document is not read by its file", "path", path, "error", err)
		return nil
	}
	if _, apart := f.apart(ctx, path, typ); !apart {
		return nil // what has been typed there is in the room
	}
	return u
}

// apart reports whether nobody has a document open, here or elsewhere, and the server's id of its file.
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
		return e.SetText(strings.ReplaceAll(text, "\r\n", "\n")) // as a room has it
	})
}

// As is a client before the document.
func (u *Unjoined) As(client string) readset.Reader { return readset.Of(u, u.f.m.Memory(), client) }

// Path is the document's path in the Contents API.
func (u *Unjoined) Path() jupyter.Path { return u.file.Path }

// FileID implements [readset.Document]. Of a file that has no id, nothing is known under this one later.
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

// Point implements [readset.Document]. There is nobody to see it.
func (u *Unjoined) Point(context.Context, string, int) {}

// Edit implements [readset.Document]. It returns when the file has the edit. The error is a [*JoinedError] if somebody has
// opened the document meanwhile.
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

// content is the document as one text, to be compared.
func (u *Unjoined) content() string { return contentOf(u.nb, u.text) }

func contentOf(nb *ydoc.Notebook, text *ydoc.Text) string {
	if text != nil {
		return text.String()
	}
	b, err := json.MarshalIndent(nbformat.Of(nb), "", " ")
	if err != nil {
		return "" // a replica has nothing but JSON values
	}
	return string(b)
}

// write writes the file, if it is as it was read and nobody has opened the document since. The Contents API overwrites without
// asking, and a room takes its file's content for its own, so it is looked once more behind the write.
func (u *Unjoined) write(ctx context.Context, was string, c jupyter.NewContent) error {
	if u.content() == was {
		return nil
	}
	switch now, err := u.f.srv.Contents.Get(ctx, u.Path(), jupyter.ContentsOptions{Hash: true}); {
	case err != nil:
		return err
	case now.Hash != u.file.Hash, now.Hash == "" && !now.LastModified.Equal(u.file.LastModified):
		return errors.New("nothing was changed: somebody has written the file meanwhile; read it again, then repeat the change")
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
		return fmt.Errorf("the file was written, but somebody has opened the document at the same time, and its room cannot be opened; read it again: %w", err)
	}
	defer d.Release()
	if now := contentOf(d.Notebook(), d.Text()); textdiff.Keeps(was, u.content(), now) {
		return nil // the room was made of the new file
	}
	return &JoinedError{Written: true}
}

// followTries bounds how often a file is written because somebody types meanwhile.
const followTries = 5

// Follow writes the content of a document's room into its file, and has the server take it from there: a file that was
// written beside the room would take the room's place.
func (f *Files) Follow(ctx context.Context, d *session.Document) error {
	for range followTries {
		fresh, err := d.Ahead(ctx, d.Path())
		if err != nil || fresh == nil {
			return err
		}
		if _, err := f.srv.Contents.Put(ctx, d.Path(), *fresh); err != nil {
			return err
		}
		// The server looks at the file before it saves, and finds it written by another, with what the room holds.
		release, err := d.SaveAndHold(ctx)
		if err != nil {
			return err
		}
		release()
	}
	return fmt.Errorf("the file of %s lacks what is being typed there", textfmt.Quoted(d.Path().String()))
}
