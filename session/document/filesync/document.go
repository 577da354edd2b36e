package filesync

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Document is the part of an open document that this package needs.
type Document interface {
	Path() jupyter.Path
	// Joined returns the currently joined room.
	Joined() Joined
	// LastUse returns when the document was last used, and whether it is in use.
	LastUse() (last time.Time, busy bool)
	// Follow finds the new path of a file that is no longer at the document's path, and gives it to the document. It returns
	// false if the file does not exist.
	Follow(ctx context.Context, fileID string) bool
}

// Joined is one joined room of a document, with its replica. When the room is lost, another one replaces it.
type Joined struct {
	Room     Room
	Notebook *ydoc.Notebook // nil for a text
	Text     *ydoc.Text     // nil for a notebook
	// Documents is set if jupyter-server-documents keeps the room, rather than jupyter-collaboration.
	Documents bool
}

// Room is the part of a document's room that this package needs.
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

// replica is the common part of notebooks and texts.
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

// source returns the source of a cell, or the whole of a text; "" if the cell does not exist.
func (j Joined) source(cell string) string {
	if j.Text != nil {
		return j.Text.String()
	}
	c, _ := j.Notebook.Cell(cell)
	return c.Source
}

// unwritable says why the server cannot write a notebook that contains a number that JSON does not support; otherwise "".
func (j Joined) unwritable() string {
	if j.Notebook == nil {
		return ""
	}
	has := notANumber(j.Notebook)
	if has == "" {
		return ""
	}
	return "the Jupyter server cannot write the file: " + has + " NaN or Infinity, on which its jupyter_ydoc fails; edits are only in open tabs until these values are gone: clear such outputs, or have the user remove the metadata"
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

// ContentOf returns the options for reading the content of the document's file with the Contents API.
func (j Joined) ContentOf() jupyter.ContentsOptions {
	if j.Notebook != nil {
		return jupyter.ContentsOptions{Content: true, Type: "notebook"}
	}
	return jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"}
}

// Ahead returns the content of the replica if it differs from the file, else nil.
func (j Joined) Ahead(file jupyter.Content) (*jupyter.NewContent, error) {
	was, err := j.inFile(file)
	now := j.content()
	var is []byte
	if err == nil {
		is, err = json.Marshal(now)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", file.Path, err)
	case bytes.Equal(was, is):
		return nil, nil
	case j.Text != nil:
		return &jupyter.NewContent{Type: "file", Format: "text", Content: now}, nil
	}
	return &jupyter.NewContent{Type: "notebook", Format: "json", Content: now}, nil
}

// content returns the replica's content in the form of the Contents API.
func (j Joined) content() any {
	if j.Text != nil {
		return j.Text.String()
	}
	return nbformat.Of(j.Notebook)
}

// inFile returns the JSON of a file's content, which equals that of the replica's content if they are the same.
func (j Joined) inFile(file jupyter.Content) ([]byte, error) {
	if j.Text == nil {
		return nbformat.Plain(file.Content)
	}
	var text string
	if err := json.Unmarshal(file.Content, &text); err != nil {
		return nil, err
	}
	return json.Marshal(strings.ReplaceAll(text, "\r\n", "\n")) // the line ends of a room
}
