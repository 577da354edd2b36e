package wire_test

import (
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestCheckUpdateAcceptsRecordedDocuments(t *testing.T) {
	for i, u := range realUpdates(t) {
		if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
			t.Errorf("update %d: %v", i, err)
		}
	}
	if err := wire.CheckUpdate([]byte{0, 0}, wire.DefaultLimits); err != nil {
		t.Error("the empty update:", err)
	}
}

func TestCheckUpdateRefusesEveryTruncation(t *testing.T) {
	for i, u := range realUpdates(t) {
		for n := range u {
			if wire.CheckUpdate(u[:n], wire.DefaultLimits) == nil {
				t.Errorf("update %d cut to %d of %d bytes is accepted", i, n, len(u))
			}
		}
	}
}
