package nbformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// A Notebook is a notebook's content from a caller, checked to be valid nbformat 4
// (nbformat/v4/nbformat.v4.5.schema.json), with lists of lines joined.
type Notebook struct {
	Metadata map[string]any
	// Cells are as in a document; the ID is "" if the caller gave none.
	Cells []ydoc.Cell
}

// NotebookForm describes the form of a notebook's content.
const NotebookForm = "a notebook's JSON ({\"cells\": [...], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5})"

// CellsForm describes the form of a list of cells.
const CellsForm = "a JSON list of cells, each {\"type\": \"code\" or \"markdown\", \"content\": \"...\"}"

// MaxCells bounds the cells of a whole notebook.
const MaxCells = 5000

// Parse reads a notebook's JSON.
func Parse(content string) (Notebook, error) {
	var raw any
	if err := decodeJSON(content, &raw); err != nil {
		return Notebook{}, fmt.Errorf("content is not valid JSON: %w; a notebook's content is %s", err, NotebookForm)
	}
	return notebookOf(raw)
}

// ParseNew reads the content of a new notebook: a whole notebook, or a list of cells.
func ParseNew(content string) (Notebook, error) {
	if strings.TrimSpace(content) == "" {
		return Notebook{Cells: []ydoc.Cell{{Type: ydoc.Code}}}, nil
	}
	var raw any
	if err := decodeJSON(content, &raw); err != nil {
		return Notebook{}, fmt.Errorf("content is not valid JSON: %w; a notebook's content is %s, or %s", err, NotebookForm, CellsForm)
	}
	list, ok := raw.([]any)
	if !ok {
		return notebookOf(raw)
	}
	cells, err := cellsOf(list, func(at string, m map[string]any) (ydoc.Cell, error) {
		if _, ok := m["cell_type"]; ok {
			return cellOf(at, m)
		}
		return simpleCell(at, m)
	})
	return Notebook{Cells: cells}, err
}

// simpleCell reads a cell in the form that insert_nb_cells takes.
func simpleCell(at string, m map[string]any) (ydoc.Cell, error) {
	if err := onlyKeys(at, m, "type", "content"); err != nil {
		return ydoc.Cell{}, err
	}
	c := ydoc.Cell{Type: ydoc.Code}
	if v, given := m["type"]; given {
		if c.Type, _ = v.(string); !slices.Contains([]string{ydoc.Code, ydoc.Markdown, ydoc.Raw}, c.Type) {
			return c, fmt.Errorf("%s.type is %s, wanted \"code\", \"markdown\" or \"raw\"", at, shownValue(v))
		}
	}
	source, ok := m["content"].(string)
	if !ok {
		return c, fmt.Errorf("%s.content is %s, wanted a string", at, kindOf(m["content"]))
	}
	c.Source = textfmt.Lines(source)
	return c, nil
}

// decodeJSON reads one JSON value with nothing after it.
func decodeJSON(content string, dst any) error {
	content = string(pyjson.Standard([]byte(content)))
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	if err := dec.Decode(dst); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("line %d: unexpected end", 1+strings.Count(strings.TrimRight(content, "\n"), "\n"))
		}
		return lineError(content, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: unexpected text after the end", 1+strings.Count(content[:dec.InputOffset()], "\n"))
	}
	return nil
}

func notebookOf(raw any) (nb Notebook, err error) {
	m, ok := raw.(map[string]any)
	if !ok {
		return nb, fmt.Errorf("content is not a notebook: it is %s, wanted %s", kindOf(raw), NotebookForm)
	}
	if err := onlyKeys("the notebook", m, "cells", "metadata", "nbformat", "nbformat_minor"); err != nil {
		return nb, err
	}
	if major, ok := m["nbformat"].(json.Number); !ok || major != "4" {
		return nb, fmt.Errorf("content is not a notebook of nbformat 4: its \"nbformat\" is %s; %s is wanted", shownValue(m["nbformat"]), NotebookForm)
	}
	if _, ok := wholeNumber(m["nbformat_minor"]); !ok {
		return nb, fmt.Errorf("content is not a notebook: its \"nbformat_minor\" is %s, wanted a number such as 5", shownValue(m["nbformat_minor"]))
	}
	if nb.Metadata, err = objectIn(m, "the notebook", "metadata", true); err != nil {
		return nb, err
	}
	cells, ok := m["cells"].([]any)
	if !ok {
		return nb, fmt.Errorf("content is not a notebook: its \"cells\" is %s, wanted a list", kindOf(m["cells"]))
	}
	nb.Cells, err = cellsOf(cells, cellOf)
	return nb, err
}

// cellsOf reads a list of cells, whose ids must differ.
func cellsOf(list []any, read func(at string, m map[string]any) (ydoc.Cell, error)) ([]ydoc.Cell, error) {
	if len(list) > MaxCells {
		return nil, fmt.Errorf("content has %s, more than the %s allowed in one call", textfmt.Plural(len(list), "cell"), textfmt.Thousands(MaxCells))
	}
	cells := make([]ydoc.Cell, 0, len(list))
	ids := map[string]int{}
	for i, v := range list {
		at := fmt.Sprintf("cells[%d]", i)
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is %s, wanted an object", at, kindOf(v))
		}
		c, err := read(at, m)
		if err != nil {
			return nil, err
		}
		if first, taken := ids[c.ID]; taken && c.ID != "" {
			return nil, fmt.Errorf("%s has the id %s of cells[%d]: each cell needs its own id", at, textfmt.Quoted(c.ID), first)
		}
		ids[c.ID] = i
		cells = append(cells, c)
	}
	return cells, nil
}

func cellOf(at string, m map[string]any) (c ydoc.Cell, err error) {
	kind, _ := m["cell_type"].(string)
	keys := []string{"id", "cell_type", "metadata", "source"}
	switch kind {
	case ydoc.Code:
		keys = append(keys, "outputs", "execution_count")
	case ydoc.Markdown, ydoc.Raw:
		keys = append(keys, "attachments")
	default:
		return c, fmt.Errorf("%s.cell_type is %s, wanted \"code\", \"markdown\" or \"raw\"", at, shownValue(m["cell_type"]))
	}
	if err := onlyKeys(at, m, keys...); err != nil {
		return c, err
	}
	c.Type = kind
	if id, given := m["id"]; given {
		c.ID, _ = id.(string)
		if !ydoc.ValidID(c.ID) {
			return c, fmt.Errorf("%s.id is %s, wanted 1 to 64 letters, digits, \"-\" or \"_\"", at, shownValue(id))
		}
	}
	source, ok := textOf(m["source"])
	if !ok {
		return c, fmt.Errorf("%s.source is %s, wanted a string or a list of strings", at, kindOf(m["source"]))
	}
	c.Source = textfmt.Lines(source)
	if c.Metadata, err = objectIn(m, at, "metadata", true); err != nil {
		return c, err
	}
	if c.Attachments, err = objectIn(m, at, "attachments", false); err != nil {
		return c, err
	}
	if kind != ydoc.Code {
		return c, nil
	}
	if c.ExecutionCount, err = countIn(m, at); err != nil {
		return c, err
	}
	outputs, ok := m["outputs"].([]any)
	if !ok {
		return c, fmt.Errorf("%s.outputs is %s, wanted a list", at, kindOf(m["outputs"]))
	}
	for i, v := range outputs {
		out, err := outputOf(fmt.Sprintf("%s.outputs[%d]", at, i), v)
		if err != nil {
			return c, err
		}
		c.Outputs = append(c.Outputs, out)
	}
	return c, nil
}
