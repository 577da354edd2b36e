package apart

import "testing"

func TestB(t *testing.T) {
	if A() != B() {
		t.Fail()
	}
}
