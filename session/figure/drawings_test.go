package figure

import (
	"strings"
	"testing"
)

// Pictures are kept up to a number of bytes, the last ones, and reasons for each kernel.
func TestDrawings(t *testing.T) {
	var d Drawings
	big := strings.Repeat("x", drawingBytesKept/4)
	for i := range byte(9) {
		for range 2 {
			d.Keep(Name{i}, big)
		}
	}
	if _, ok := d.Get(Name{4}); ok || d.held != drawingBytesKept {
		t.Errorf("%d bytes are kept, an old one: %v", d.held, ok)
	}
	if got, ok := d.Get(Name{8}); !ok || got != big {
		t.Error("the last is not kept")
	}
	no := &NoPicture{Why: "slow"}
	d.Refuse(Name{1}, "a", no)
	if d.Refused(Name{1}, "a") != no || d.Refused(Name{1}, "b") != nil || d.Refused(Name{2}, "a") != nil {
		t.Error("reasons are mixed up")
	}
}
