package session

import (
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
)

// kind is the kind of a file's room. It depends only on the file's type: two rooms of one file would overwrite each
// other.
type kind int

const (
	notebookKind kind = iota
	textKind
)

// ErrNotNotebook is matched by the error of opening a path that exists but is not a notebook.
var ErrNotNotebook = textfmt.Fixed("not a notebook")

// ErrNotText is matched by the error of opening a path as a text that exists but is not one.
var ErrNotText = textfmt.Fixed("not a text document")

// maxTextFile bounds the file of a text document, in bytes.
const maxTextFile = 16 << 20

// String returns the kind's name for people.
func (k kind) String() string {
	if k == textKind {
		return "document"
	}
	return "notebook"
}

// room returns the format and the type with which JupyterLab joins such a room. The type is that of the file in the
// Contents API.
func (k kind) room() (format, typ string) {
	if k == textKind {
		return "text", "file"
	}
	return "json", "notebook"
}

// fits returns an error if a Contents API type does not match this kind.
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
