package filepreview

import (
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// The kernel's file must be the server's, as before or after or, while it is written, in between.
func TestSameFile(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	content := func(size int64, later time.Duration) jupyter.Content {
		return jupyter.Content{Size: &size, LastModified: at.Add(later)}
	}
	before, after := content(100, 0), content(300, time.Second)
	for _, c := range []struct {
		size  int64
		later time.Duration
		want  bool
	}{
		{100, 0, true},
		{100, 900 * time.Microsecond, true},
		{200, time.Second / 2, true},
		{300, time.Second, true},
		{99, 0, false},
		{301, time.Second, false},
		{100, -time.Second, false},
		{200, 2 * time.Second, false},
	} {
		if got := couldBe(inspect.Seen{Size: c.size, Modified: at.Add(c.later)}, before, after); got != c.want {
			t.Errorf("%d bytes, %v later: %v", c.size, c.later, got)
		}
	}
	if couldBe(inspect.Seen{}, jupyter.Content{}, jupyter.Content{}) {
		t.Error("of unknown size, and yet the same")
	}
}
