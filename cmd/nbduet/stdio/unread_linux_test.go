package stdio

import (
	"os"
	"testing"

	"github.com/shoenig/test"
)

// A client that reads a byte at a time, too little to make room in the pipe, counts as reading.
func TestReadsByteByByte(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	before := unreadBytes(w)
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	after := unreadBytes(w)
	test.Eq(t, 100, before)
	test.Eq(t, 99, after)
}
