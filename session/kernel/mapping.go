package kernel

import (
	"encoding/json"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// mapping is a JSON object as plain values: string, bool, nil, int, float64, pyjson.Number, []any and map[string]any. Numbers written
// without a fraction or exponent that fit become int, so that they are not changed on their way into a document.
type mapping map[string]any

// UnmarshalJSON implements json.Unmarshaler; null leaves an empty mapping.
func (m *mapping) UnmarshalJSON(b []byte) error {
	var v map[string]any
	if err := pyjson.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("decode an object: %w", err)
	}
	plain(v)
	if v == nil {
		v = map[string]any{}
	}
	*m = v
	return nil
}

// plain converts decoded JSON to plain values; it changes lists and objects in place.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := pyjson.Value(v)
		if err != nil {
			return v.String()
		}
		return n
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
