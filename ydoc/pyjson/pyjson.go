package pyjson

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/samber/lo"
)

// A Number is a number outside JSON. It is a plain value, like float64, and equal to itself.
type Number string

// The numbers outside JSON.
const (
	NaN         Number = "NaN"
	Infinity    Number = "Infinity"
	NegInfinity Number = "-Infinity"
)

// The forms of these numbers: in Python, as JSON literals, and as JSON strings. No program writes such a zero, and
// Python reads the other literals as infinity.
const (
	python = iota
	literal
	quoted
)

var forms = [][3]string{
	{string(NegInfinity), "-1e99999", `"-Infinity"`},
	{string(Infinity), "1e99999", `"Infinity"`},
	{string(NaN), "-0e99999", `"NaN"`},
}

// Of returns the Number for a float, or false if JSON can represent the float.
func Of(f float64) (Number, bool) {
	switch {
	case math.IsNaN(f):
		return NaN, true
	case math.IsInf(f, 1):
		return Infinity, true
	case math.IsInf(f, -1):
		return NegInfinity, true
	}
	return "", false
}

// Float returns the number as a float.
func (n Number) Float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64) // accepts all three
	return f
}

// Standard replaces the numbers outside JSON by literals. It returns text itself if it has none.
func Standard(text []byte) []byte {
	if !bytes.Contains(text, []byte(NaN)) && !bytes.Contains(text, []byte(Infinity)) {
		return text
	}
	return replace(text, python, literal)
}

// Python replaces the literals of [Standard] by the numbers. It returns text itself if it has none.
func Python(text []byte) []byte { return fromLiterals(text, python) }

// Quoted replaces the literals of [Standard] by strings, as encoding/json writes a [Number].
func Quoted(text []byte) []byte { return fromLiterals(text, quoted) }

func fromLiterals(text []byte, form int) []byte {
	if !bytes.Contains(text, []byte("e99999")) {
		return text
	}
	return replace(text, literal, form)
}

// replace replaces one form by another outside the strings of a JSON text.
func replace(text []byte, from, to int) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	for i := 0; i < len(text); {
		if text[i] == '"' {
			end := stringEnd(text, i)
			out = append(out, text[i:end]...)
			i = end
			continue
		}
		if f := formAt(text, i, from); f != nil {
			out = append(out, f[to]...)
			i += len(f[from])
			continue
		}
		out = append(out, text[i])
		i++
	}
	return out
}

// formAt returns the number at an offset, or nil.
func formAt(text []byte, at, form int) *[3]string {
	if at > 0 && strings.IndexByte(" \t\r\n[:,", text[at-1]) < 0 {
		return nil
	}
	for i, f := range forms {
		if rest, ok := bytes.CutPrefix(text[at:], []byte(f[form])); ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n]},", rest[0]) >= 0) {
			return &forms[i]
		}
	}
	return nil
}

// stringEnd returns the offset after the string that begins at an offset.
func stringEnd(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// Unmarshal decodes a text like encoding/json, with numbers as json.Number.
func Unmarshal(text []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(Standard(text)))
	d.UseNumber()
	return d.Decode(dst)
}

// Value converts a decoded number to a plain value: an int, a float64, or a Number if outside JSON. The error is that
// of strconv for a text that is not a number.
func Value(n json.Number) (any, error) {
	if n == "-0e99999" {
		return NaN, nil
	}
	if i, err := strconv.Atoi(string(n)); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if special, ok := Of(f); ok {
		return special, nil
	}
	return f, err
}

// Literals returns a plain value with literals in place of each Number, for a JSON encoder. It returns v itself if
// there is nothing to replace.
func Literals(v any) any {
	if !Has(v) {
		return v
	}
	switch v := v.(type) {
	case Number:
		for _, f := range forms {
			if f[python] == string(v) {
				return json.Number(f[literal])
			}
		}
	case []any:
		return lo.Map(v, func(e any, _ int) any { return Literals(e) })
	case map[string]any:
		object := make(map[string]any, len(v))
		for k, e := range v {
			object[k] = Literals(e)
		}
		return object
	}
	return v
}

// Has reports whether a plain value contains a Number.
func Has(v any) bool {
	switch v := v.(type) {
	case Number:
		return true
	case []any:
		for _, e := range v {
			if Has(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if Has(e) {
				return true
			}
		}
	}
	return false
}
