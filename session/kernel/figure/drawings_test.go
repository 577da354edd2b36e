package figure

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// Pictures are kept up to a number of bytes, the last ones, and reasons for each kernel.
func TestDrawings(t *testing.T) {
	d := NewDrawings()
	big := strings.Repeat("x", drawingBytesKept/4)
	for i := range byte(9) {
		for range 2 {
			d.Keep(Name{i}, big)
		}
	}
	_, ok := d.Get(Name{4})
	test.False(t, ok)
	test.Eq(t, drawingBytesKept, d.held)
	got, ok := d.Get(Name{8})
	must.True(t, ok, must.Sprint("the last is not kept"))
	test.Eq(t, big, got, test.Sprint("the last is not kept"))
	no := &NoPicture{Why: "slow"}
	d.Refuse(Name{1}, "a", no)
	test.EqOp(t, no, d.Refused(Name{1}, "a"), test.Sprint("reasons are mixed up"))
	must.Nil(t, d.Refused(Name{1}, "b"), must.Sprint("reasons are mixed up"))
	test.Nil(t, d.Refused(Name{2}, "a"), test.Sprint("reasons are mixed up"))
}
