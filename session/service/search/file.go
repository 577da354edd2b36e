package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// errHalf marks a file of which another program may have written only a part so far.
var errHalf = errors.New("the file ends in the middle of a notebook")

// read returns the cells of a notebook on disk. An id may be missing, and the file need not be valid nbformat.
func read(ctx context.Context, c jupyter.Contents, path jupyter.Path) (cells []ydoc.Cell, err error) {
	err = jupyter.Again(ctx, 3, errHalf, func() error {
		// As a text, because the server validates a notebook, which takes several times as long.
		file, err := c.Get(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text"})
		if err != nil {
			return err
		}
		var content string
		if err := json.Unmarshal(file.Content, &content); err != nil {
			return err
		}
		cells, err = parse(content)
		return err
	})
	return cells, err
}

// A fileCell is a cell in a notebook's file.
type fileCell struct {
	ID      string        `json:"id"`
	Type    string        `json:"cell_type"`
	Source  any           `json:"source"` // a text, or a list of lines
	Outputs []ydoc.Output `json:"outputs"`
}

func parse(content string) ([]ydoc.Cell, error) {
	if strings.TrimSpace(content) == "" {
		return nil, nil // a new notebook, as Jupyter's own programs create it
	}
	var file struct {
		Cells *[]fileCell `json:"cells"`
	}
	text := pyjson.Quoted(pyjson.Standard([]byte(content)))
	if err := json.Unmarshal(text, &file); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok && at.Offset == int64(len(text)) {
			err = errHalf
		}
		return nil, fmt.Errorf("the file is not a notebook: %w", err)
	}
	if file.Cells == nil {
		return nil, errors.New(`the file is not a notebook of nbformat 4: it has no "cells"`)
	}
	cells := make([]ydoc.Cell, len(*file.Cells))
	for i, c := range *file.Cells {
		cells[i] = ydoc.Cell{ID: c.ID, Type: c.Type, Source: ydoc.JoinText(c.Source, ""), Outputs: c.Outputs}
	}
	return cells, nil
}
