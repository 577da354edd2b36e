package datalayer

import (
	"fmt"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// The number of names is bounded.
func TestUsedNotebooksAreBounded(t *testing.T) {
	d := &Toolset{Notebook: jupyter.MustPath("first.ipynb")}
	for i := range namesKept {
		if err := d.use(t.Context(), fmt.Sprint(i), jupyter.MustPath("x.ipynb")); err != nil && i < namesKept-1 {
			t.Fatal(err)
		} else if err == nil && i == namesKept-1 {
			t.Error("there are more than may be")
		}
	}
}
