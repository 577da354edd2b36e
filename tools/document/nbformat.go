package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// A Notebook is the content of a notebook as a caller gives it, checked to be valid nbformat 4
// (nbformat/v4/nbformat.v4.5.schema.json), with lists of lines joined.
type Notebook struct {
	Metadata map[string]any
	// Cells are as a document has them; the ID is "" where the caller gave none.
	Cells []ydoc.Cell
}

// NotebookForm says what a notebook's content can be given as.
const NotebookForm = "a notebook's JSON ({\"cells\": [...], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5})"

// CellsForm says the same of a list of cells.
const CellsForm = "a JSON list of cells, each {\"type\": \"code\" or \"markdown\", \"content\": \"...\"}"

// MaxCells bounds the cells of a notebook that is given as a whole.
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
	cells, err := fileCellsOf(list, func(at string, m map[string]any) (ydoc.Cell, error) {
		if _, ok := m["cell_type"]; ok {
			return nbformatCell(at, m)
		}
		return simpleCell(at, m)
	})
	return Notebook{Cells: cells}, err
}

// simpleCell is a cell as insert_nb_cells takes it.
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
	c.Source = words.Lines(source)
	return c, nil
}

// decodeJSON reads one JSON value and nothing behind it.
func decodeJSON(content string, dst any) error {
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	if err := dec.Decode(dst); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends too early")
		}
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind its end")
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
	nb.Cells, err = fileCellsOf(cells, nbformatCell)
	return nb, err
}

// fileCellsOf reads a list of cells, whose ids must differ.
func fileCellsOf(list []any, read func(at string, m map[string]any) (ydoc.Cell, error)) ([]ydoc.Cell, error) {
	if len(list) > MaxCells {
		return nil, fmt.Errorf("content has %s, more than the %s allowed in one call", words.Plural(len(list), "cell"), words.Thousands(MaxCells))
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
			return nil, fmt.Errorf("%s has the id %s of cells[%d]: each cell needs an id of its own", at, words.Quoted(c.ID), first)
		}
		ids[c.ID] = i
		cells = append(cells, c)
	}
	return cells, nil
}

func nbformatCell(at string, m map[string]any) (c ydoc.Cell, err error) {
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
		if !ValidID(c.ID) {
			return c, fmt.Errorf("%s.id is %s, wanted 1 to 64 letters, digits, \"-\" or \"_\"", at, shownValue(id))
		}
	}
	source, ok := textOf(m["source"])
	if !ok {
		return c, fmt.Errorf("%s.source is %s, wanted a string or a list of strings", at, kindOf(m["source"]))
	}
	c.Source = words.Lines(source)
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

// outputFields are what nbformat gives each type of output, besides output_type.
var outputFields = map[string][]string{
	"stream":         {"name", "text"},
	"display_data":   {"data", "metadata"},
	"execute_result": {"data", "metadata", "execution_count"},
	"error":          {"ename", "evalue", "traceback"},
}

func outputOf(at string, v any) (ydoc.Output, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is %s, wanted an object", at, kindOf(v))
	}
	kind, _ := m["output_type"].(string)
	fields, ok := outputFields[kind]
	if !ok {
		return nil, fmt.Errorf("%s.output_type is %s, wanted \"stream\", \"display_data\", \"execute_result\" or \"error\"", at, shownValue(m["output_type"]))
	}
	if err := onlyKeys(at, m, append([]string{"output_type"}, fields...)...); err != nil {
		return nil, err
	}
	out := ydoc.Output{"output_type": kind}
	for _, f := range fields {
		value, err := outputField(at, f, m)
		if err != nil {
			return nil, err
		}
		out[f] = value
	}
	return out, nil
}

func outputField(at, field string, m map[string]any) (any, error) {
	wrong := func(want string) error {
		return fmt.Errorf("%s.%s is %s, wanted %s", at, field, kindOf(m[field]), want)
	}
	switch field {
	case "data", "metadata":
		return objectIn(m, at, field, true)
	case "execution_count":
		n, err := countIn(m, at)
		if err != nil || n == nil {
			return nil, err
		}
		return *n, nil
	case "text":
		s, ok := textOf(m[field])
		if !ok {
			return nil, wrong("a string or a list of strings")
		}
		return s, nil
	case "traceback":
		list, ok := m[field].([]any)
		if !ok || slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok }) {
			return nil, wrong("a list of strings")
		}
		return list, nil
	default:
		s, ok := m[field].(string)
		if !ok {
			return nil, wrong("a string")
		}
		return s, nil
	}
}

// countIn reads an execution count, nil for null.
func countIn(m map[string]any, at string) (*int, error) {
	v, given := m["execution_count"]
	if given && v == nil {
		return nil, nil
	}
	if n, ok := wholeNumber(v); ok {
		return &n, nil
	}
	return nil, fmt.Errorf("%s.execution_count is %s, wanted a number or null", at, shownValue(v))
}

// wholeNumber is a whole number that is not negative.
func wholeNumber(v any) (int, bool) {
	number, _ := v.(json.Number)
	n, err := strconv.ParseUint(string(number), 10, 31)
	return int(n), err == nil
}

// objectIn reads a member that has to be an object.
func objectIn(m map[string]any, at, name string, needed bool) (map[string]any, error) {
	v, given := m[name]
	if !given && !needed {
		return nil, nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: \"%s\" is %s, wanted an object", at, name, kindOf(v))
	}
	return o, nil
}

func onlyKeys(at string, m map[string]any, allowed ...string) error {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(allowed, k) {
			return fmt.Errorf("%s has a member %s, which nbformat does not allow there: allowed are %s", at, words.Quoted(k), words.QuotedList(allowed))
		}
	}
	return nil
}

// textOf is a text that may be given as a list of lines.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// ValidID tells whether a cell may have the id, by nbformat.
func ValidID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// kindOf names the kind of a JSON value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "missing or null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}

// shownValue is a JSON value in a message: itself where it is short.
func shownValue(v any) string {
	switch v := v.(type) {
	case string:
		return words.Quoted(v)
	case json.Number:
		return words.Quoted(string(v))
	}
	return kindOf(v)
}
