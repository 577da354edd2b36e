package crdt

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// TestWhatOthersEncodeIsEncodedAlike applies recordings of Yjs and pycrdt, step by step and whole: our encoding must
// equal theirs, byte for byte, including merged structs, and read the same as there.
func TestWhatOthersEncodeIsEncodedAlike(t *testing.T) {
	for _, file := range []string{"testdata/yjs.json", "testdata/pycrdt.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vectors []struct {
			Name, Full, StateVector string
			Updates                 []string
			JSON                    json.RawMessage
		}
		if err := json.Unmarshal(b, &vectors); err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, v := range vectors {
			if v.Full == "" || v.StateVector == "" {
				continue
			}
			compared++
			replicas := [][]string{{v.Full}}
			if len(v.Updates) > 0 {
				replicas = append(replicas, v.Updates)
			}
			for _, updates := range replicas {
				s := newSheet(Options{})
				cells := s.Root("cells", KindArray)
				s.Root("meta", KindMap)
				for _, u := range updates {
					s.take(t, unhex(t, u))
				}
				if got := s.whole(t); !bytes.Equal(got, unhex(t, v.Full)) {
					t.Errorf("%s: state\n got %x\nwant %s", v.Name, got, v.Full)
				}
				if got := s.vector(t); !bytes.Equal(got, unhex(t, v.StateVector)) {
					t.Errorf("%s: state vector %x, want %s", v.Name, got, v.StateVector)
				}
				var want []any
				if json.Unmarshal(v.JSON, &want) != nil {
					continue // pycrdt's vector is a whole notebook
				}
				s.Read("read", func() {
					var got []any
					b, err := json.Marshal(cells.Value())
					must.NoError(t, err, must.Sprint(v.Name))
					must.NoError(t, json.Unmarshal(b, &got), must.Sprint(v.Name))
					test.Eq(t, want, got, test.Sprint(v.Name))
				})
			}
		}
		if compared == 0 {
			t.Errorf("%s has nothing to compare", file)
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEmptyKeysAreKeys: the library takes an entry with the key "" for a list item.
func TestEmptyKeysAreKeys(t *testing.T) {
	all := sheets(2)
	a, b := all[0], all[1]
	want := map[string]any{"": 1, "\x00": 2, "\x00\x00": 3, "k": 4}
	a.edit(t, func(x *Tx) {
		for k, v := range want {
			x.Set(a.meta, k, v)
		}
	})
	b.take(t, a.whole(t))
	if got := b.meta.Object(); !EqualObjects(got, want) {
		t.Errorf("%#v", got)
	}
	a.edit(t, func(x *Tx) { x.Unset(a.meta, ""); x.Set(a.meta, "\x00", 5) })
	deliver(t, a, b)
	if got := b.meta.Object(); !EqualObjects(got, map[string]any{"\x00": 5, "\x00\x00": 3, "k": 4}) {
		t.Errorf("%#v", got)
	}
}
