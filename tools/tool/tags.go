package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// The limits that many arguments share, in characters, indexes or items. Tags name them in lower case without Max.
const (
	MaxPath     = 4096
	MaxIDLength = 200       // more than nbformat allows, because other programs may exceed it
	MaxIndex    = 1_000_000 // of a cell, far beyond the cells of a notebook
	MaxSource   = 1_000_000 // of one cell
	MaxRanges   = 1000
	MaxChanged  = 1000 // cells
	maxText     = 4_000_000
	maxPosition = 20_000_000 // beyond the end of any text document that can be opened
)

// LineEnds ends the description of an argument that is text, and Characters that of a position or a length.
const (
	LineEnds   = " Line ends are stored as \\n."
	Characters = ", in characters (Unicode code points)."
)

var limits = map[string]int{
	"path": MaxPath, "id": MaxIDLength, "index": MaxIndex, "source": MaxSource, "ranges": MaxRanges, "cells": MaxChanged,
	"text": maxText, "position": maxPosition,
}

var endings = map[string]string{
	"newlines": LineEnds, "characters": Characters, "path": ", from the server's root folder, such as \"work/notes.md\".",
}

// RevisionText describes a revision in a result.
func RevisionText(of string) string {
	return "Changes exactly when " + of + " does; give it with a change based on that state."
}

// tagged refines a field by its struct tags:
//
//   - validate:"min=1,max=path" is [Field.Limit]. A missing min is 0, a missing max means no limit, and a limit may be a name.
//     "oneof=a b" is [Field.OneOf], "null" [Field.Null], "cellid" [Field.CellID]; rules after "dive" apply to a list's items
//   - default:"10" is [Field.Default], in JSON or, for a text, verbatim
//   - ends:"path" adds a common ending to the description
//   - changes:"the cell" describes the revision of the cell
func (f Field) tagged(tag reflect.StructTag) {
	if of := tag.Get("changes"); of != "" {
		f.Say(RevisionText(of))
	}
	if name, ok := tag.Lookup("ends"); ok {
		end, ok := endings[name]
		if !ok {
			panic(fmt.Sprintf("tools: no ending %q", name))
		}
		f.schema.Description += end
	}
	if text, ok := tag.Lookup("default"); ok && f.schema.Type == "string" {
		f.Default(text)
	} else if ok {
		f.Default(json.RawMessage(text))
	}
	rules := tag.Get("validate")
	if rules == "" {
		return
	}
	low := 0
	for rule := range strings.SplitSeq(rules, ",") {
		switch name, value, _ := strings.Cut(rule, "="); name {
		case "min":
			low = limit(value)
		case "max":
			f.Limit(low, limit(value))
		case "oneof":
			f.OneOf(strings.Fields(value)...)
		case "null":
			f.Null()
		case "cellid":
			f.CellID()
		case "dive":
			f, low = f.Items(), 0
		default:
			panic(fmt.Sprintf("tools: no rule %q", rule))
		}
	}
}

// limit returns a number, or the limit of that name.
func limit(text string) int {
	if n, ok := limits[text]; ok {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("tools: no limit %q", text))
	}
	return n
}
