package nbformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// conflictMarks begin the lines that a merge leaves in a file with conflicts.
var conflictMarks = []string{"<<<<<<< ", "=======", ">>>>>>> ", "||||||| "}

// Fault returns an error that says why the text of a file is not a notebook, with the line if possible; nil if it is one.
func Fault(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("the file is empty")
	}
	for i, line := range strings.Split(text, "\n") {
		for _, mark := range conflictMarks {
			if strings.HasPrefix(line, mark) {
				line, _ = textfmt.Cut(strings.TrimRight(line, "\r"), 80)
				return fmt.Errorf("line %d: %q is a merge conflict marker", i+1, line)
			}
		}
	}
	var raw any
	if err := decodeJSON(text, &raw); err != nil {
		return err
	}
	if err := halfCharacter(text); err != nil {
		return err
	}
	if err := missingIn(raw); err != nil {
		return err
	}
	if major := majorOf(raw); major == "2" || major == "3" {
		return nil
	}
	_, err := notebookOf(raw)
	return err
}

// halfCharacter finds an escape of an unpaired UTF-16 surrogate, which Python reads and cannot write.
func halfCharacter(text string) error {
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		unit, ok := escaped(text[at:])
		switch second, paired := escaped(text[min(at+6, len(text)):]); {
		case !ok:
			at++ // the escaped character is not the beginning of an escape
		case unit < 0xd800 || unit > 0xdfff:
		case unit < 0xdc00 && paired && second >= 0xdc00 && second <= 0xdfff:
			at += 11
		default:
			return fmt.Errorf("line %d: %s is half of a character (a surrogate without its pair), which the server cannot store: write the whole character, or leave it out",
				1+strings.Count(text[:at], "\n"), text[at:at+6])
		}
	}
	return nil
}

// escaped returns the UTF-16 unit of an escape at the beginning of a text.
func escaped(text string) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return unit, err == nil
}

// Older reports whether a text is a whole notebook of format 2 or 3, which a Jupyter server reads and converts.
func Older(text string) bool {
	var raw any
	if decodeJSON(text, &raw) != nil {
		return false
	}
	major := majorOf(raw)
	return (major == "2" || major == "3") && Fault(text) == nil
}

// majorOf returns the major format version of a notebook, "" for none.
func majorOf(raw any) json.Number {
	nb, _ := raw.(map[string]any)
	major, _ := nb["nbformat"].(json.Number)
	return major
}

// missingIn returns an error for a missing member that the server needs to make the notebook's room; nil for none, and for
// values that are not a notebook of formats 2 to 4.
func missingIn(raw any) error {
	nb, _ := raw.(map[string]any)
	major := majorOf(raw)
	if !slices.Contains([]json.Number{"2", "3", "4"}, major) {
		return nil
	}
	of := fmt.Sprintf("this notebook of format %s", major)
	if _, ok := nb["metadata"].(map[string]any); !ok {
		return lacks(of, "metadata", nb["metadata"], "an object")
	}
	lists := []any{nb}
	if major != "4" {
		sheets, ok := nb["worksheets"].([]any)
		if !ok {
			return lacks(of, "worksheets", nb["worksheets"], "a list")
		}
		lists = sheets
	}
	at := 0
	for _, list := range lists {
		sheet, _ := list.(map[string]any)
		cells, ok := sheet["cells"].([]any)
		if !ok {
			return lacks(of, "cells", sheet["cells"], "a list")
		}
		for _, v := range cells {
			cell, ok := v.(map[string]any)
			if !ok {
				return fmt.Errorf("cells[%d] is %s, wanted an object", at, kindOf(v))
			}
			if err := missingInCell(cell, at, major == "4"); err != nil {
				return fmt.Errorf("%w, in format %s", err, major)
			}
			at++
		}
	}
	return nil
}

func missingInCell(cell map[string]any, at int, current bool) error {
	name := fmt.Sprintf("cells[%d]", at)
	if id, ok := cell["id"].(string); ok {
		name += fmt.Sprintf(" (id %s)", textfmt.Quoted(id))
	}
	kind, ok := cell["cell_type"].(string)
	if !ok {
		return lacks(name, "cell_type", cell["cell_type"], "\"code\", \"markdown\" or \"raw\"")
	}
	if _, has := cell["outputs"].([]any); kind == "code" && !has {
		return lacks(name, "outputs", cell["outputs"], "a list")
	}
	if !current {
		return nil
	}
	if _, ok := cell["metadata"].(map[string]any); !ok {
		return lacks(name, "metadata", cell["metadata"], "an object")
	}
	if _, ok := textOf(cell["source"]); !ok {
		return lacks(name, "source", cell["source"], "a string or a list of strings")
	}
	outputs, _ := cell["outputs"].([]any)
	for i, v := range outputs {
		o, _ := v.(map[string]any)
		if text, given := o["text"]; given && o["output_type"] == "stream" {
			if _, ok := textOf(text); !ok {
				return lacks(fmt.Sprintf("%s.outputs[%d]", name, i), "text", text, "a string or a list of strings")
			}
		}
	}
	return nil
}

// lacks returns the error for a member that is missing or of the wrong kind.
func lacks(of, member string, v any, want string) error {
	if v == nil {
		return fmt.Errorf("%s has no \"%s\", which has to be %s", of, member, want)
	}
	return fmt.Errorf("%s has a \"%s\" that is %s, which has to be %s", of, member, kindOf(v), want)
}

// Unloadable returns an error that says why a notebook's content from the Contents API cannot be made into a room; otherwise
// nil.
func Unloadable(content json.RawMessage) error {
	var nb struct {
		Cells []struct {
			Source *json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(content, &nb); err != nil {
		return nil //nolint:nilerr // the server tells
	}
	for i, c := range nb.Cells {
		if c.Source == nil {
			return fmt.Errorf("cells[%d] has no \"source\"", i)
		}
	}
	return nil
}

// lineError adds the line to a JSON error.
func lineError(text string, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(int(syntax.Offset)-1, 0), len(text))
	return fmt.Errorf("line %d: %w", 1+strings.Count(text[:at], "\n"), err)
}
