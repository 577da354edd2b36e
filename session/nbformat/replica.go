package nbformat

import (
	"encoding/json"
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

// fileCell is a cell as the Contents API gives it, with what is read of it.
type fileCell struct {
	ID          string         `json:"id"`
	Type        string         `json:"cell_type"`
	Source      any            `json:"source"`
	Metadata    map[string]any `json:"metadata"`
	Attachments map[string]any `json:"attachments"`
	Outputs     []ydoc.Output  `json:"outputs"`
	Count       *int           `json:"execution_count"`
}

// Replica makes a replica of a notebook's content from the Contents API, which is in no room.
func Replica(content json.RawMessage) (*ydoc.Notebook, error) {
	var file struct {
		Cells    []fileCell     `json:"cells"`
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	nb := ydoc.NewNotebook()
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

// add puts the cell at the end of a notebook.
func (c fileCell) add(e *ydoc.Editor, at int) error {
	source, _ := textOf(c.Source)
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
