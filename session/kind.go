package session

import (
	"context"
	"errors"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// kind is what sort of room a file has. It follows from the file's type alone:
// two rooms of one file write over each other.
type kind int

const (
	notebookKind kind = iota
	textKind
)

// ErrNotNotebook is matched by the error of opening something that is there but
// is not a notebook.
var ErrNotNotebook = errors.New("not a notebook")

// ErrNotText is matched by the error of opening something as a text that is
// there but is not one.
var ErrNotText = errors.New("not a text document")

// maxTextFile bounds the file of a text document, in bytes.
const maxTextFile = 16 << 20

// String is the kind's name for people.
func (k kind) String() string {
	if k == textKind {
		return "document"
	}
	return "notebook"
}

// contentsType is the type that the Contents API gives to such a file.
func (k kind) contentsType() string {
	if k == textKind {
		return "file"
	}
	return "notebook"
}

// room gives the format and the type that JupyterLab joins such a room with.
func (k kind) room() (format, typ string) {
	if k == textKind {
		return "text", "file"
	}
	return "json", "notebook"
}

// replica is what a document needs of its replica whatever its kind.
type replica interface {
	State() ydoc.State
	Revision() ydoc.Revision
	Subscribe() *ydoc.Subscription
	Bloat() ydoc.Bloat
}

// live is one joined room with its replica. A document has one at a time; when
// a room is lost for good, another takes its place, and nothing of the old one
// is carried over.
type live struct {
	room room
	doc  replica        // the one of the two that follow
	nb   *ydoc.Notebook // nil in a text
	text *ydoc.Text     // nil in a notebook

	joined ydoc.Bloat // of the replica when the room was joined
	server extension  // that keeps the room
	shown  *lru.Cache[shownKey, ydoc.Revision]
}

func newLive(r room, nb *ydoc.Notebook) *live {
	return &live{room: r, doc: nb, nb: nb, joined: nb.Bloat(), server: collaboration{}, shown: newShown()}
}

func newTextLive(r room, text *ydoc.Text) *live {
	return &live{room: r, doc: text, text: text, joined: text.Bloat(), server: collaboration{}, shown: newShown()}
}

// joinFunc enters the room of a path, with an empty replica.
type joinFunc func(ctx context.Context, path string, k kind) (*live, error)

// joinRoom is the joinFunc of a real server.
func (m *Manager) joinRoom(ctx context.Context, path string, k kind) (*live, error) {
	var nb *ydoc.Notebook
	var text *ydoc.Text
	var doc *ydoc.Doc
	if k == textKind {
		text = ydoc.NewText()
		doc = text.Doc
	} else {
		nb = ydoc.NewNotebook()
		doc = nb.Doc
	}
	format, typ := k.room()
	r, err := rtc.Join(ctx, rtc.Config{
		Server: m.cfg.Server, Path: path, Format: format, Type: typ,
		Replica: doc, User: m.user, Logger: m.log, Timing: m.cfg.Timing,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		return nil, err
	}
	var lv *live
	if k == textKind {
		lv = newTextLive(r, text)
	} else {
		lv = newLive(r, nb)
	}
	if r.Documents() {
		lv.server = serverDocuments{}
	}
	return lv, nil
}

// inspect looks whether there is a file of that kind at a path, and gives what
// the server says of it. It comes before any join, because the server makes a
// room for any path at all.
func (m *Manager) inspect(ctx context.Context, path string, k kind) (jupyter.Content, error) {
	c, err := m.look(ctx, path, jupyter.ContentsOptions{})
	if err != nil {
		return c, err
	}
	if err := k.fits(c.Type); err != nil {
		return c, err
	}
	if k != textKind {
		return c, nil
	}
	if c.Size != nil && *c.Size > maxTextFile {
		return c, fmt.Errorf("%w: the file has %d bytes, and at most %d can be edited as text", ErrNotText, *c.Size, maxTextFile)
	}
	// Only reading all of it shows whether it is text. A room of a file that
	// is not would be opened, and fail, with everybody in it.
	read, err := m.look(ctx, c.Path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
	if errors.Is(err, jupyter.ErrBadRequest) {
		return c, fmt.Errorf("%w: the file is not UTF-8 text", ErrNotText)
	}
	if err != nil {
		return c, err
	}
	read.Content = nil
	return read, nil
}

// look asks what there is at a path, once more where the connection broke.
func (m *Manager) look(ctx context.Context, path string, opt jupyter.ContentsOptions) (c jupyter.Content, err error) {
	err = jupyter.Again(ctx, 2, jupyter.ErrUnreachable, func() error {
		c, err = m.cfg.Server.Contents(ctx, path, opt)
		return err
	})
	return c, err
}

// fits says what is wrong with a thing of the Contents API's type for a
// document of this kind; nil for nothing.
func (k kind) fits(typ string) error {
	switch {
	case k == notebookKind && typ != "notebook":
		return fmt.Errorf("%w: it is a %s; name a file that ends in .ipynb", ErrNotNotebook, typ)
	case k == textKind && typ == "notebook":
		return fmt.Errorf("%w: it is a notebook; use the notebook tools", ErrNotText)
	case k == textKind && typ != "file":
		return fmt.Errorf("%w: it is a %s", ErrNotText, typ)
	}
	return nil
}
