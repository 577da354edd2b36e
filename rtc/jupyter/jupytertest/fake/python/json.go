package python

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// object makes a JSON object of names and values, in this order.
func object(pairs ...any) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		name, _ := pairs[i].(string)
		b.WriteString(jsonString(name) + ": ")
		switch v := pairs[i+1].(type) {
		case json.RawMessage:
			b.Write(v)
		case string:
			b.WriteString(jsonString(v))
		default:
			out, err := json.Marshal(v)
			if err != nil {
				panic(err) // it is a list of texts, or a number
			}
			b.Write(out)
		}
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// jsonString is a text as Python writes it in JSON, without escapes for HTML.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // it is a text
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// json is a value as Python writes it in JSON.
func (in *Interp) json(v starlark.Value) (json.RawMessage, error) {
	var b strings.Builder
	if err := in.writeJSON(&b, v); err != nil {
		return nil, err
	}
	return json.RawMessage(b.String()), nil
}

func (in *Interp) writeJSON(b *strings.Builder, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.NoneType:
		b.WriteString("null")
	case starlark.Bool:
		b.WriteString(strconv.FormatBool(bool(v)))
	case starlark.Int:
		b.WriteString(v.String())
	case starlark.Float:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return nil
		}
		b.WriteString(formatFloat(float64(v)))
	case starlark.String:
		b.WriteString(jsonString(string(v)))
	case starlark.Bytes:
		b.WriteString(jsonString(base64.StdEncoding.EncodeToString([]byte(v))))
	case starlark.IterableMapping:
		b.WriteByte('{')
		for i, item := range v.Items() {
			if i > 0 {
				b.WriteString(", ")
			}
			key, err := in.str(item[0])
			if err != nil {
				return err
			}
			b.WriteString(jsonString(key) + ": ")
			if err := in.writeJSON(b, item[1]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case *starlark.List, starlark.Tuple, *starlark.Set, *iterator:
		items, err := in.list(v)
		if err != nil {
			return err
		}
		b.WriteByte('[')
		for i, x := range items {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := in.writeJSON(b, x); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		s, err := in.repr(v)
		if err != nil {
			return err
		}
		return in.exceptionf("ValueError", "Can't clean for JSON: %s", s)
	}
	return nil
}

// fromJSON is a value that JSON stands for.
func fromJSON(text string) (starlark.Value, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return fromGo(v)
}

func fromGo(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return starlark.MakeInt64(n), nil
		}
		f, err := v.Float64()
		return starlark.Float(f), err
	case []any:
		l := starlark.NewList(nil)
		for _, x := range v {
			item, err := fromGo(x)
			if err != nil {
				return nil, err
			}
			if err := l.Append(item); err != nil {
				return nil, err
			}
		}
		return l, nil
	case map[string]any:
		d := starlark.NewDict(len(v))
		for k, x := range v {
			item, err := fromGo(x)
			if err != nil {
				return nil, err
			}
			if err := d.SetKey(starlark.String(k), item); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return starlark.None, nil
}
