package nbjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Read parses a notebook file. The caller may change the returned notebook. Code cells get no "trusted": see
// [Notary.Mark].
func Read(file []byte) (map[string]any, error) {
	nb, err := Parse(file)
	if err != nil {
		return nil, err
	}
	major, minor := nb["nbformat"], nb["nbformat_minor"]
	older := major == 2 || major == 3
	if older {
		if nb, err = upgrade(nb); err != nil {
			return nil, err
		}
	} else if major != 4 {
		return nil, fmt.Errorf("nbformat is %v, and only 4 is read here", nb["nbformat"])
	}
	cells, err := cellsOf(nb)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if _, ok := c["cell_type"]; !ok {
			return nil, &RaisedError{"cell_type"}
		}
		joinCell(c)
	}
	if err := strip(nb, cells); err != nil {
		return nil, err
	}
	giveIDs(nb, cells)
	if metadata, ok := nb["metadata"].(map[string]any); ok && older {
		metadata["orig_nbformat"], metadata["orig_nbformat_minor"] = major, minor
	}
	return nb, nil
}

// Parse decodes a notebook without changes.
func Parse(file []byte) (map[string]any, error) {
	if !utf8.Valid(file) {
		return nil, errors.New("the file is not UTF-8")
	}
	if half := surrogate.FindString(strings.ReplaceAll(pair.ReplaceAllString(string(file), ""), `\\`, "")); half != "" {
		return nil, &RaisedError{"'utf-8' codec can't encode character '" + half + "' in position 5: surrogates not allowed"}
	}
	d := json.NewDecoder(bytes.NewReader(pyjson.Standard(file)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the notebook")
	}
	v, err := crdt.Plain(v, math.MaxInt)
	if err != nil {
		return nil, err
	}
	nb, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the file is no object")
	}
	return nb, nil
}

// pair and surrogate match the escapes of a UTF-16 pair, and of half of one.
var (
	pair      = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
)

// A RaisedError is an unexpected exception for a file, such as the notary's for half of a UTF-16 pair.
type RaisedError struct{ text string }

func (e *RaisedError) Error() string { return e.text }

// upgrade converts formats 2 and 3 to format 4 (nbformat, v3/convert.py and v4/convert.py), as far as tests need.
func upgrade(nb map[string]any) (map[string]any, error) {
	metadata, ok := nb["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s could not be converted from version %v to version 4 because it's missing a key: metadata", "Notebook", nb["nbformat"])
	}
	delete(metadata, "name")
	cells := []any{}
	for _, sheet := range objects(nb["worksheets"]) {
		for _, c := range objects(sheet["cells"]) {
			if _, ok := c["metadata"]; !ok {
				c["metadata"] = map[string]any{}
			}
			switch c["cell_type"] {
			case "code":
				c["source"], c["execution_count"] = c["input"], c["prompt_number"]
				for _, key := range []string{"input", "prompt_number", "language", "collapsed"} {
					delete(c, key)
				}
				for _, o := range objects(c["outputs"]) {
					if o["output_type"] == "stream" {
						o["name"] = o["stream"]
						delete(o, "stream")
					}
				}
			case "heading":
				level, _ := c["level"].(int)
				source, _ := c["source"].(string)
				c["cell_type"], c["source"] = "markdown", strings.Repeat("#", level)+" "+source
				delete(c, "level")
			}
			cells = append(cells, c)
		}
	}
	return map[string]any{"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, nil
}

// cellsOf lists the cells of a notebook.
func cellsOf(nb map[string]any) ([]map[string]any, error) {
	list, ok := nb["cells"].([]any)
	if !ok {
		return nil, errors.New("the notebook has no cells")
	}
	cells := make([]map[string]any, len(list))
	for i, v := range list {
		if cells[i], ok = v.(map[string]any); !ok {
			return nil, fmt.Errorf("cell %d is no object", i)
		}
	}
	return cells, nil
}

// joinCell joins the lists of lines in a cell (nbformat, rwbase.py, rejoin_lines).
func joinCell(c map[string]any) {
	if s, ok := joined(c["source"]); ok {
		c["source"] = s
	}
	joinBundles(c["attachments"])
	if c["cell_type"] != "code" {
		return
	}
	for _, o := range objects(c["outputs"]) {
		switch o["output_type"] {
		case "execute_result", "display_data":
			joinBundle(o["data"])
		default:
			if s, ok := joined(o["text"]); ok {
				o["text"] = s
			}
		}
	}
}

func joinBundles(v any) {
	attachments, _ := v.(map[string]any)
	for _, a := range attachments {
		joinBundle(a)
	}
}

// joinBundle joins the texts of a MIME bundle. Lists in JSON values stay.
func joinBundle(v any) {
	bundle, _ := v.(map[string]any)
	for mime, value := range bundle {
		if mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json") {
			continue
		}
		if s, ok := joined(value); ok {
			bundle[mime] = s
		}
	}
}

// joined returns the text of a list of lines.
func joined(v any) (string, bool) {
	list, ok := v.([]any)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// objects returns the objects in a list.
func objects(v any) (list []map[string]any) {
	all, _ := v.([]any)
	for _, e := range all {
		if o, ok := e.(map[string]any); ok {
			list = append(list, o)
		}
	}
	return list
}
