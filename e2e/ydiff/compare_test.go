package ydiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// asJSON returns v after a round trip through JSON: numbers are float64.
func asJSON(v any) (out any, err error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	err = d.Decode(&out)
	return out, err
}

// difference returns where got first differs from want, or "".
func difference(path string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Collect(maps.Keys(w))
		for k := range g {
			if _, ok := w[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			gv, inGot := g[k]
			wv, inWant := w[k]
			if inGot != inWant {
				return fmt.Sprintf("%s.%q: present %v, want %v: %.300s", path, k, inGot, inWant, show(gv, wv))
			}
			if d := difference(fmt.Sprintf("%s.%q", path, k), gv, wv); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		for i := range min(len(g), len(w)) {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), g[i], w[i]); d != "" {
				return d
			}
		}
		if len(g) != len(w) {
			return fmt.Sprintf("%s of length %d, want %d: %s", path, len(g), len(w), show(got, want))
		}
		return ""
	default:
		if reflect.DeepEqual(got, want) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %s", path, show(got, want))
}

func show(got, want any) string {
	g, errG := json.Marshal(got)
	w, errW := json.Marshal(want)
	if errG != nil || errW != nil {
		return fmt.Sprintf("%v, want %v", got, want)
	}
	return fmt.Sprintf("%.400s, want %.400s", g, w)
}
