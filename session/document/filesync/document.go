package filesync

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Document is an open document, as far as this package needs it.
type Document interface {
	Path() jupyter.Path
	// Joined is the room as currently joined.
	Joined() Joined
	// LastUse is when the document was last used, and whether it is in use.
	LastUse() (last time.Time, busy bool)
	// Follow finds the new path of a file that is no longer at the document's path, and gives it to the document. It
	// reports false if the file is gone.
	Follow(ctx context.Context, fileID string) bool
}

// Joined is one joining of a document's room, with its replica. When the room is lost, another one replaces it.
type Joined struct {
	Room     Room
	Notebook *ydoc.Notebook // nil for a text
	Text     *ydoc.Text     // nil for a notebook
	// Documents tells that jupyter-server-documents keeps the room, and not jupyter-collaboration.
	Documents bool
}

// Room is a document's room, as far as this package needs it.
type Room interface {
	FileID() string
	SessionID() string
	State() rtc.State
	Barrier(ctx context.Context) error
	Save(ctx context.Context) (string, error)
	LastSave(ctx context.Context) error
	Depart(ctx context.Context)
	AutosaveOff() bool
	Quiet() time.Duration
	Err() error
}

// replica is what notebooks and texts have in common here.
type replica interface {
	State() ydoc.State
	Reloads() uint64
	Revision() ydoc.Revision
	Subscribe() *ydoc.Subscription
}

func (j Joined) replica() replica {
	if j.Text != nil {
		return j.Text
	}
	return j.Notebook
}

// source returns the source of a cell, or the whole of a text; "" if there is no such cell.
func (j Joined) source(cell string) string {
	if j.Text != nil {
		return j.Text.String()
	}
	c, _ := j.Notebook.Cell(cell)
	return c.Source
}

// unwritable says why the server cannot write a notebook that has a number which JSON has not; it returns "" if there is none.
func (j Joined) unwritable() string {
	if j.Notebook == nil {
		return ""
	}
	has := notANumber(j.Notebook)
	if has == "" {
		return ""
	}
	return "the Jupyter server cannot write the file: " + has + " NaN or Infinity, on which its jupyter_ydoc fails; edits are in open tabs alone until these values are gone: clear such outputs, or have the user remove the metadata"
}

// notANumber finds the first place of a number that jupyter_ydoc (4.2.1, ydoc.py, cast_all) cannot write.
func notANumber(nb *ydoc.Notebook) string {
	for i, c := range nb.Cells() {
		switch {
		case pyjson.Has(c.Metadata):
			return fmt.Sprintf("the metadata of cell %d (id %q) have", i, c.ID)
		case slices.ContainsFunc(c.Outputs, func(out ydoc.Output) bool { return pyjson.Has(map[string]any(out)) }):
			return fmt.Sprintf("the outputs of cell %d (id %q) have", i, c.ID)
		}
	}
	if pyjson.Has(nb.Metadata()) {
		return "the notebook's metadata have"
	}
	return ""
}

// ContentOf are the options for reading the content of the document's file with the Contents API.
func (j Joined) ContentOf() jupyter.ContentsOptions {
	if j.Notebook != nil {
		return jupyter.ContentsOptions{Content: true, Type: "notebook"}
	}
	return jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"}
}
