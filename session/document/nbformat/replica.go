package nbformat

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// fileCell is the part of a cell from the Contents API that is read.
type fileCell struct {
	ID          string         `json:"id"`
	Type        string         `json:"cell_type"`
	Source      any            `json:"source"`
	Metadata    map[string]any `json:"metadata"`
	Attachments map[string]any `json:"attachments"`
	Outputs     []ydoc.Output  `json:"outputs"`
	Count       *int           `json:"execution_count"`
}

// Replica returns a replica, outside any room, of a notebook's content from the Contents API. A cell without an id gets the
// same id each time, so that a client recognizes it in another replica of the same file.
func Replica(content json.RawMessage) (*ydoc.Notebook, error) {
	var file struct {
		Cells    []fileCell     `json:"cells"`
		Metadata map[string]any `json:"metadata"`
		Major    int            `json:"nbformat"`
		Minor    int            `json:"nbformat_minor"`
	}
	if err := pyjson.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	if err := Unloadable(content); err != nil {
		return nil, err
	}
	nb := ydoc.NewNotebook()
	if err := nb.SetNBFormat(file.Major, file.Minor); err != nil {
		return nil, err
	}
	err := nb.Edit("file", func(e *ydoc.Editor) error {
		for key, v := range file.Metadata {
			if err := e.SetMetadata(key, v); err != nil {
				return err
			}
		}
		for i, c := range file.Cells {
			if err := c.add(e, i); err != nil {
				return fmt.Errorf("cell %d: %w", i, err)
			}
		}
		return nil
	})
	return nb, err
}

// add appends the cell to a notebook.
func (c fileCell) add(e *ydoc.Editor, at int) error {
	source, _ := textOf(c.Source)
	if c.ID == "" {
		c.ID = idAt(at, source)
	}
	cell := ydoc.NewCell{ID: c.ID, Type: c.Type, Source: source, Metadata: c.Metadata}
	if c.Type != ydoc.Code {
		cell.Attachments = c.Attachments
	}
	ids, err := e.Insert(at, cell)
	if err != nil || c.Type != ydoc.Code {
		return err
	}
	for _, o := range c.Outputs {
		if o.Type() == "stream" {
			o["text"], _ = textOf(o["text"])
		}
	}
	if err := e.SetOutputs(ids[0], c.Outputs); err != nil {
		return err
	}
	return e.FinishRun(ids[0], c.Count)
}

// idAt returns the id of a cell that has none in its file.
func idAt(at int, source string) string {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%d:%s", at, source) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}
