package nbformat

import (
	"encoding/json"
	"maps"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Trusted is the key of cell metadata that only open tabs use: its value in a file, or from a caller, is ignored.
const Trusted = "trusted"

// Content returns the notebook as plain JSON values, in nbformat 4.5, which requires ids: a cell without an id gets one.
func (n Notebook) Content() map[string]any {
	cells := []any{}
	for _, c := range n.Cells {
		if c.ID == "" {
			c.ID = ydoc.NewID()
		}
		cells = append(cells, cellContent(c, true))
	}
	metadata := n.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
}

// Of returns the current content of a notebook's file, as plain JSON values. It is a snapshot that shares its values with
// other readers.
func Of(nb *ydoc.Notebook) map[string]any {
	major, minor := nb.NBFormat()
	cells := lo.Map(nb.Cells(), func(c ydoc.Cell, _ int) any { return cellContent(c, major > 4 || minor >= 5) })
	return map[string]any{"nbformat": major, "nbformat_minor": minor, "metadata": nb.Metadata(), "cells": cells}
}

// File is [Of] for writing the file of a notebook that is not open: it includes which cells are trusted, as a room does. The
// server would distrust the notebook otherwise.
func File(nb *ydoc.Notebook) map[string]any {
	out := Of(nb)
	cells, _ := out["cells"].([]any)
	for i, c := range nb.Cells() {
		trusted, said := c.Metadata[Trusted]
		cell, _ := cells[i].(map[string]any)
		if metadata, ok := cell["metadata"].(map[string]any); ok && said {
			metadata[Trusted] = trusted // Of has made a copy, to remove it
		}
	}
	return out
}

// Untrusted returns the metadata of a cell without [Trusted]: a copy if it has that key, and never nil.
func Untrusted(metadata map[string]any) map[string]any {
	switch _, ok := metadata[Trusted]; {
	case metadata == nil:
		return map[string]any{}
	case ok:
		metadata = maps.Clone(metadata)
		delete(metadata, Trusted)
	}
	return metadata
}

// cellContent returns a cell in nbformat, without the members that only open tabs use: the execution state, and whether the
// cell is trusted.
func cellContent(c ydoc.Cell, ids bool) map[string]any {
	out := map[string]any{"cell_type": c.Type, "source": c.Source, "metadata": Untrusted(c.Metadata)}
	if ids && c.ID != "" {
		out["id"] = c.ID
	}
	if len(c.Attachments) > 0 {
		out["attachments"] = c.Attachments
	}
	if c.Type == ydoc.Code {
		outputs := lo.Map(c.Outputs, func(o ydoc.Output, _ int) any { return map[string]any(o) })
		out["outputs"], out["execution_count"] = outputs, nil
		if c.ExecutionCount != nil {
			out["execution_count"] = *c.ExecutionCount
		}
	}
	return out
}

// Plain converts a notebook's file from the Contents API to the form of [Of], as JSON.
func Plain(file json.RawMessage) ([]byte, error) {
	var onDisk struct {
		Cells    []map[string]any `json:"cells"`
		Metadata map[string]any   `json:"metadata"`
		Major    int              `json:"nbformat"`
		Minor    int              `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(pyjson.Quoted(file), &onDisk); err != nil {
		return nil, err
	}
	for _, c := range onDisk.Cells {
		delete(c, "execution_state") // jupyter-collaboration 2 writes it, although it is not in nbformat
		if metadata, ok := c["metadata"].(map[string]any); ok {
			delete(metadata, Trusted)
		}
		if list, ok := c["attachments"].(map[string]any); ok && len(list) == 0 {
			delete(c, "attachments")
		}
	}
	return json.Marshal(map[string]any{
		"nbformat": onDisk.Major, "nbformat_minor": onDisk.Minor, "metadata": onDisk.Metadata,
		"cells": append([]map[string]any{}, onDisk.Cells...), // a list, even if the file has none
	})
}
