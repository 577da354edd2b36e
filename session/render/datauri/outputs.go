package datauri

import (
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc"
)

// Expand returns outputs with the data: URIs of their texts abbreviated, regardless of the text's type. Each picture
// becomes a separate output after its origin. It does not change outputs.
func Expand(outputs []ydoc.Output) []ydoc.Output {
	if !slices.ContainsFunc(outputs, func(o ydoc.Output) bool { return holds(map[string]any(o)) }) {
		return outputs
	}
	var all []ydoc.Output
	for _, o := range outputs {
		if !holds(map[string]any(o)) {
			all = append(all, o)
			continue
		}
		x := expander{seen: map[string]bool{}}
		one := maps.Clone(o)
		if data, ok := o["data"].(map[string]any); ok {
			one["data"] = x.bundle(data)
		} else {
			for _, key := range []string{"text", "ename", "evalue"} {
				if v, ok := o[key]; ok {
					one[key] = x.form(v)
				}
			}
			if v, ok := o["traceback"]; ok { // its lines have no newlines
				one["traceback"] = x.value(v)
			}
		}
		all = append(append(all, one), Pictures(x.files)...)
	}
	return all
}

// Pictures returns outputs that display the pictures among files.
func Pictures(files []File) (out []ydoc.Output) {
	for _, f := range files {
		if f.IsImage() {
			out = append(out, Picture(f.Short, map[string]any{f.MIME: f.Data()}))
		}
	}
	return out
}

// Picture returns an output that displays a picture, with the text that replaces it.
func Picture(name string, forms map[string]any) ydoc.Output {
	data := map[string]any{"text/plain": name}
	for mime, v := range forms {
		if slices.Contains(jpegs, mime) {
			mime = "image/jpeg"
		}
		data[mime] = v
	}
	return ydoc.Output{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}

const attachment = "attachment:"

// Attachment returns the name of a picture that is attached to a cell.
func Attachment(file string) string { return attachment + file }

// IsName reports whether a text is the name of a [Picture].
func IsName(text string) bool {
	return strings.HasPrefix(text, attachment) || short.FindString(text) == text && text != ""
}

// holds reports whether a value has a text that may hold a data: URI.
func holds(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "data:")
	case []any:
		return slices.ContainsFunc(v, holds)
	case map[string]any:
		for _, one := range v {
			if holds(one) {
				return true
			}
		}
	}
	return false
}

// An expander abbreviates one output.
type expander struct {
	seen  map[string]bool // by their data
	files []File
}

// bundle abbreviates the forms of a display. A picture that is already one of the forms is not added again.
func (x *expander) bundle(data map[string]any) map[string]any {
	out := map[string]any{}
	for mime, v := range data {
		if strings.HasPrefix(mime, "image/") {
			out[mime] = v
			x.seen[strings.Join(strings.Fields(joined(v)), "")] = true
		}
	}
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		if _, ok := out[mime]; !ok {
			out[mime] = x.form(data[mime])
		}
	}
	return out
}

// form abbreviates a text, which may be a list of its lines, or another value.
func (x *expander) form(v any) any {
	if text := joined(v); text != "" {
		return x.text(text)
	}
	return x.value(v)
}

// value abbreviates all texts of a value.
func (x *expander) value(v any) any {
	if !holds(v) {
		return v
	}
	switch v := v.(type) {
	case string:
		return x.text(v)
	case []any:
		return lo.Map(v, func(one any, _ int) any { return x.value(one) })
	case map[string]any:
		return lo.SliceToMap(slices.Sorted(maps.Keys(v)), func(key string) (string, any) { return key, x.value(v[key]) })
	}
	return v
}

func (x *expander) text(s string) string {
	s, files := Abbreviate(s)
	for _, f := range files {
		if name := strings.Join(strings.Fields(f.Data()), ""); !x.seen[name] {
			x.seen[name] = true
			x.files = append(x.files, f)
		}
	}
	return s
}

// joined returns a text, or joins a list of its lines; "" for other values.
func joined(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return ""
			}
			all.WriteString(s)
		}
		return all.String()
	}
	return ""
}
