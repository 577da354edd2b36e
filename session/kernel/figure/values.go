package figure

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/samber/lo"
)

// Values are a trace's values in one direction, or a grid of them.
type values struct {
	count       int
	low, high   float64 // of the numbers
	numbers     int
	first, last string // of the texts
	texts       int
}

// valuesOf reads a list, a list of lists, or a typed array.
func valuesOf(v any) (values, bool) {
	var all values
	switch v := v.(type) {
	case []any:
		all.list(v, 0)
	case map[string]any:
		if inner, ok := v["_inputArray"].(map[string]any); ok { // the form in widgets
			v = inner
		}
		dtype, _ := v["dtype"].(string)
		if data, _ := v["bdata"].(string); !all.typed(dtype, data) {
			return all, false
		}
	default:
		return all, false
	}
	return all, all.count > 0
}

// deepest bounds the nesting of lists: grids have two dimensions, pictures three.
const deepest = 4

func (all *values) list(list []any, depth int) {
	for _, v := range list {
		switch v := v.(type) {
		case []any:
			if depth < deepest {
				all.list(v, depth+1)
			}
			continue
		case float64:
			all.number(v)
		case int:
			all.number(float64(v))
		case int64:
			all.number(float64(v))
		case json.Number:
			if f, err := v.Float64(); err == nil {
				all.number(f)
			}
		case string:
			all.text(v)
		case bool:
			all.text(strconv.FormatBool(v))
		}
		all.count++ // including null, which is a gap
	}
}

func (all *values) number(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if all.numbers == 0 {
		all.low, all.high = v, v
	}
	all.low, all.high = min(all.low, v), max(all.high, v)
	all.numbers++
}

func (all *values) text(s string) {
	if all.texts == 0 {
		all.first = s
	}
	all.last = s
	all.texts++
}

// typed reads the values of a typed array, and reports whether it is one.
func (all *values) typed(dtype, data string) bool {
	read := decoders[strings.TrimLeft(dtype, "<|=")]
	if read == nil {
		return false
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return false
	}
	for _, v := range read(bytes) {
		all.number(v)
		all.count++
	}
	return true
}

// decoders decode the values of each type. All are little-endian.
var decoders = map[string]func([]byte) []float64{
	"f8": decode[float64], "float64": decode[float64],
	"f4": decode[float32], "float32": decode[float32],
	"i1": decode[int8], "int8": decode[int8],
	"i2": decode[int16], "int16": decode[int16],
	"i4": decode[int32], "int32": decode[int32],
	"u1": decode[uint8], "uint8": decode[uint8], "u1c": decode[uint8], "uint8c": decode[uint8],
	"u2": decode[uint16], "uint16": decode[uint16],
	"u4": decode[uint32], "uint32": decode[uint32],
}

// decode decodes the whole values in data.
func decode[T float64 | float32 | int8 | int16 | int32 | uint8 | uint16 | uint32](data []byte) []float64 {
	list := make([]T, len(data)/binary.Size(T(0)))
	_, _ = binary.Decode(data, binary.LittleEndian, list) // fails only for too little data
	return lo.Map(list, func(v T, _ int) float64 { return float64(v) })
}

// midnight matches a date whose time of day is only a default.
var midnight = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?Z?$`)

// between formats the range of the values: the least and the greatest number, or the first and the last text.
func (all *values) between() string {
	from, to := number(all.low), number(all.high)
	switch {
	case all.texts > all.numbers:
		from, to = label(all.first), label(all.last)
	case all.numbers == 0:
		return "" // only gaps
	}
	if from == to {
		return from
	}
	return from + " … " + to
}

// label returns a text of the data.
func label(s string) string {
	if m := midnight.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return said(clean(markup.ReplaceAllString(s, " "), mostName))
}
