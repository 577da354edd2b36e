package figure

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Values are what a trace has in one direction, or a grid of them.
type values struct {
	count       int
	low, high   float64 // of the numbers
	numbers     int
	first, last string // of the rest
	texts       int
}

// valuesOf reads a list, a list of lists, or a typed array.
func valuesOf(v any) (values, bool) {
	var all values
	switch v := v.(type) {
	case []any:
		all.list(v, 0)
	case map[string]any:
		if inner, ok := v["_inputArray"].(map[string]any); ok { // as widgets keep it
			v = inner
		}
		dtype, _ := v["dtype"].(string)
		data, _ := v["bdata"].(string)
		if !all.typed(dtype, data) {
			return all, false
		}
	default:
		return all, false
	}
	return all, all.count > 0
}

// deepest bounds how lists are nested in lists: grids are of two dimensions, pictures of three.
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
		all.count++ // null, too, which is a gap
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

// typed reads the values of a typed array, and tells whether it is one.
func (all *values) typed(dtype, data string) bool {
	read, size := reader(strings.TrimLeft(dtype, "<|="))
	if read == nil {
		return false
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return false
	}
	for ; len(bytes) >= size; bytes = bytes[size:] {
		all.number(read(bytes))
		all.count++
	}
	return true
}

// reader reads one value of a type, of so many bytes. All are little-endian.
func reader(dtype string) (read func(b []byte) float64, size int) {
	le := binary.LittleEndian
	switch dtype {
	case "f8", "float64":
		return func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }, 8
	case "f4", "float32":
		return func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }, 4
	case "i1", "int8":
		return func(b []byte) float64 { return float64(int8(b[0])) }, 1
	case "i2", "int16":
		return func(b []byte) float64 { return float64(int16(le.Uint16(b))) }, 2
	case "i4", "int32":
		return func(b []byte) float64 { return float64(int32(le.Uint32(b))) }, 4
	case "u1", "uint8", "u1c", "uint8c":
		return func(b []byte) float64 { return float64(b[0]) }, 1
	case "u2", "uint16":
		return func(b []byte) float64 { return float64(le.Uint16(b)) }, 2
	case "u4", "uint32":
		return func(b []byte) float64 { return float64(le.Uint32(b)) }, 4
	}
	return nil, 0
}

// midnight is the time of day that dates have which are meant without one.
var midnight = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?Z?$`)

// between is the range of the values: the least and the greatest number, or the first and the last text.
func (all *values) between() string {
	from, to := number(all.low), number(all.high)
	switch {
	case all.texts > all.numbers:
		from, to = label(all.first), label(all.last)
	case all.numbers == 0:
		return "" // nothing but gaps
	}
	if from == to {
		return from
	}
	return from + " … " + to
}

// label is a text of the data.
func label(s string) string {
	if m := midnight.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return said(clean(markup.ReplaceAllString(s, " "), mostName))
}
