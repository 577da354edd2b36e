package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// NotebookContent is a notebook as its file would have it now (nbformat 4), of plain JSON values. It is a snapshot; the
// values in it are shared with other readers.
func NotebookContent(nb *ydoc.Notebook) map[string]any {
	major, minor := nb.NBFormat()
	cells := []any{}
	for _, c := range nb.Cells() {
		cells = append(cells, cellContent(c, major > 4 || minor >= 5))
	}
	return map[string]any{"nbformat": major, "nbformat_minor": minor, "metadata": nb.Metadata(), "cells": cells}
}

// cellContent is a cell in nbformat. What is for open tabs only is left out: the execution state, and whether the cell
// is trusted.
func cellContent(c ydoc.Cell, ids bool) map[string]any {
	metadata := c.Metadata
	if _, ok := metadata["trusted"]; ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "trusted")
	}
	out := map[string]any{"cell_type": c.Type, "source": c.Source, "metadata": metadata}
	if ids && c.ID != "" {
		out["id"] = c.ID
	}
	if len(c.Attachments) > 0 {
		out["attachments"] = c.Attachments
	}
	if c.Type == ydoc.Code {
		outputs := []any{}
		for _, o := range c.Outputs {
			outputs = append(outputs, map[string]any(o))
		}
		out["outputs"], out["execution_count"] = outputs, nil
		if c.ExecutionCount != nil {
			out["execution_count"] = *c.ExecutionCount
		}
	}
	return out
}

// ahead is the content of a document, a notebook or a text, where it is not that of a file; nil where it is.
func ahead(nb *ydoc.Notebook, t *ydoc.Text, file jupyter.Content) (*jupyter.NewContent, error) {
	if t != nil {
		text, err := plainText(file.Content)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file.Path, err)
		}
		now := t.String()
		if text == now {
			return nil, nil
		}
		return &jupyter.NewContent{Type: "file", Format: "text", Content: now}, nil
	}
	now := NotebookContent(nb)
	same, err := sameNotebook(file.Content, now)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file.Path, err)
	}
	if same {
		return nil, nil
	}
	return &jupyter.NewContent{Type: "notebook", Format: "json", Content: now}, nil
}

// plainText is a text as the Contents API gives it with the ends of lines that it has in a room.
func plainText(file json.RawMessage) (string, error) {
	var text string
	err := json.Unmarshal(file, &text)
	return strings.ReplaceAll(text, "\r\n", "\n"), err
}

// sameNotebook compares a notebook as the Contents API gives it with the one in the room.
func sameNotebook(file json.RawMessage, now map[string]any) (bool, error) {
	was, err := plainNotebook(file)
	if err != nil {
		return false, err
	}
	is, err := json.Marshal(now)
	if err != nil {
		return false, err
	}
	return bytes.Equal(was, is), nil
}

// plainNotebook is a notebook as the Contents API gives it in the form of NotebookContent, as JSON.
func plainNotebook(file json.RawMessage) ([]byte, error) {
	var onDisk struct {
		Cells    []map[string]any `json:"cells"`
		Metadata map[string]any   `json:"metadata"`
		Major    int              `json:"nbformat"`
		Minor    int              `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(file, &onDisk); err != nil {
		return nil, err
	}
	for _, c := range onDisk.Cells {
		if metadata, ok := c["metadata"].(map[string]any); ok {
			delete(metadata, "trusted")
		}
		if list, ok := c["attachments"].(map[string]any); ok && len(list) == 0 {
			delete(c, "attachments")
		}
	}
	cells := make([]any, len(onDisk.Cells))
	for i, c := range onDisk.Cells {
		cells[i] = c
	}
	return json.Marshal(map[string]any{
		"nbformat": onDisk.Major, "nbformat_minor": onDisk.Minor, "metadata": onDisk.Metadata, "cells": cells,
	})
}
