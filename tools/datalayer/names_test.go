package datalayer

import (
	"fmt"
	"testing"
)

// Names are bounded.
func TestUsedNotebooksAreBounded(t *testing.T) {
	d := &Toolset{Notebook: "first.ipynb"}
	for i := range namesKept {
		if err := d.use(t.Context(), fmt.Sprint(i), "x.ipynb"); err != nil && i < namesKept-1 {
			t.Fatal(err)
		} else if err == nil && i == namesKept-1 {
			t.Error("there are more than may be")
		}
	}
}
