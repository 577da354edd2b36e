package session

import (
	"fmt"
)

// kind is what sort of room a file has. It follows from the file's type alone: two rooms of one file write over each
// other.
type kind int

const (
	notebookKind kind = iota
	textKind
)

// ErrNotNotebook is matched by the error of opening something that is there but is not a notebook.
var ErrNotNotebook error = fixedError("not a notebook")

// ErrNotText is matched by the error of opening something as a text that is there but is not one.
var ErrNotText error = fixedError("not a text document")

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

// fits says what is wrong with a thing of the Contents API's type for a document of this kind; nil for nothing.
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
