package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// The answers of inspect_data in words.

// wordsOf returns the result of inspect_data in words.
func wordsOf(body any, named string) plaintext.Text {
	switch b := body.(type) {
	case *inspect.Listing:
		return listingWords(*b)
	case inspect.Detail:
		return detailWords(b)
	case inspect.Preview:
		return previewWords(b)
	case ImageResult:
		t := plaintext.Text{First: fmt.Sprintf("%s, %s, %d×%d", b.Description, b.MIME, b.Width, b.Height)}
		t.Note(b.Message)
		return t
	case inspectedImage:
		t := plaintext.Text{First: fmt.Sprintf("%s, %s, %d×%d%s", b.Path, b.MIME, b.Width, b.Height, sizeText(b.Size))}
		t.Note(b.Message)
		return t
	}
	return plaintext.Text{First: named}
}

func sizeText(size *int64) string {
	if size == nil {
		return ""
	}
	return ", " + textfmt.Kilobytes(int(*size))
}

// listingWords returns a line for each variable.
func listingWords(l inspect.Listing) plaintext.Text {
	if l.Total == 0 {
		return plaintext.Text{First: "no variables"}
	}
	lines := lo.Map(l.Variables, func(v inspect.Variable, _ int) string { return plaintext.Line(variableLine(v)) })
	t := plaintext.Text{First: textfmt.Plural(l.Total, "variable")}
	if n := len(l.Variables); n < l.Total {
		t.First += fmt.Sprintf(", the first %d", n)
	}
	t.Tail = new(strings.Join(lines, "\n"))
	return t
}

// variableLine returns a variable with its class, its size and its value.
func variableLine(v inspect.Variable) string {
	line := v.Name + ": " + v.Type
	if v.Size != "" {
		line += ", " + v.Size
	}
	if len(v.Value) > 0 {
		line += " = " + string(v.Value)
	}
	return line
}

// detailWords returns one value.
func detailWords(d inspect.Detail) plaintext.Text {
	if d.Frame != nil {
		return tableWords(d.Name+": "+d.Type, d.Size, *d.Frame)
	}
	t := plaintext.Text{First: d.Name + ": " + d.Type}
	if d.Size != "" {
		t.First += ", " + d.Size
	}
	if d.Truncated {
		t.First += ", cut"
	}
	if value := textOf(d.Value); value != "" {
		t.Add(plaintext.Block{Head: " value", Body: value})
	}
	if len(d.Attributes) > 0 {
		t.Add(plaintext.Block{Head: " attributes", Body: strings.Join(lo.Map(d.Attributes, func(a inspect.Named, _ int) string { return a.Name + ": " + a.Type }), "\n")})
	}
	return t
}

// tableWords returns a table: its columns, each with its type and a summary of its values, and its first rows.
func tableWords(name, size string, f inspect.Table) plaintext.Text {
	t := plaintext.Text{First: name}
	if size = cmp.Or(size, shapeText(f.Shape)); size != "" {
		t.First += ", " + size
	}
	t.First += sizeText(f.Memory)
	types, missing, figures := byColumn[any](f.DTypes), byColumn[float64](f.Missing), byColumn[map[string]any](f.Figures)
	lines := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		parts := []string{fmt.Sprint(types[c])}
		if n := missing[c]; n > 0 {
			parts = append(parts, fmt.Sprintf("%v missing", n))
		}
		for _, key := range []string{"min", "mean", "max", "unique", "top"} {
			if v, ok := figures[c][key]; ok && v != nil {
				parts = append(parts, key+" "+scalar(v))
			}
		}
		lines[i] = plaintext.Line(c + ": " + strings.Join(parts, ", "))
	}
	t.Add(plaintext.Block{Head: " columns", Body: strings.Join(lines, "\n")})
	if head := headText(f.Columns, f.Head); head != "" {
		t.Add(plaintext.Block{Head: " first rows", Body: head})
	}
	t.Notes = append(t.Notes, f.Notes...)
	return t
}

// previewWords returns the beginning of a data file.
func previewWords(p inspect.Preview) plaintext.Text {
	name := fmt.Sprintf("%s, %s%s", p.Path, p.Format, sizeText(&p.Size))
	for _, part := range []struct {
		what, shown string
		all         []string
	}{{"sheet", p.Sheet, p.Sheets}, {"table", p.Table, p.Tables}} {
		if part.shown == "" {
			continue
		}
		name += fmt.Sprintf(", %s %s", part.what, textfmt.Quoted(part.shown))
		if others := slices.DeleteFunc(slices.Clone(part.all), func(s string) bool { return s == part.shown }); len(others) > 0 {
			name += " (also " + textfmt.QuotedList(others) + ")"
		}
	}
	if p.Delimiter != "" && p.Delimiter != "," && p.Delimiter != "\t" {
		name += ", delimiter " + textfmt.Quoted(p.Delimiter)
	}
	if p.Encoding != "" && !strings.EqualFold(p.Encoding, "utf-8") {
		name += ", " + p.Encoding
	}
	size := shapeText(p.Shape)
	if p.Rows == nil && p.Estimate != nil {
		size = fmt.Sprintf("about %s rows × %d columns", textfmt.Thousands(int(*p.Estimate)), len(p.Columns))
	}
	return tableWords(name, size, inspect.Table{Shape: p.Shape, Columns: p.Columns, DTypes: p.DTypes, Head: p.Head, Missing: p.Missing, Figures: p.Figures, Notes: p.Notes})
}

// shapeText returns a table's size, "" if it is unknown.
func shapeText(shape []*int64) string {
	if len(shape) != 2 || shape[0] == nil || shape[1] == nil {
		return ""
	}
	return fmt.Sprintf("%s rows × %d columns", textfmt.Thousands(int(*shape[0])), *shape[1])
}

// byColumn parses an object with a member for each column; members of another form are left out.
func byColumn[V any](raw json.RawMessage) map[string]V {
	var out map[string]V
	_ = json.Unmarshal(raw, &out) // the map is incomplete then
	return out
}

// headText returns the first rows as a table.
func headText(columns []string, raw json.RawMessage) string {
	var rows []map[string]any
	if json.Unmarshal(raw, &rows) != nil || len(rows) == 0 {
		return ""
	}
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, c := range columns {
			out[i] = append(out[i], scalar(row[c]))
		}
	}
	return plaintext.Table(columns, out)
}

// scalar formats a value of a table.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%.6g", v), ".0")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// textOf returns a JSON value as text: for a string the string itself.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
