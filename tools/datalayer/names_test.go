package datalayer

import (
	"fmt"
	"testing"
)

// Names are bounded, for each client and over all.
func TestUsedNotebooksAreBounded(t *testing.T) {
	d := &Toolset{Notebook: "first.ipynb"}
	for i := range namesKept {
		if err := d.use(t.Context(), fmt.Sprint(i), "x.ipynb"); err != nil && i < namesKept-1 {
			t.Fatal(err)
		} else if err == nil && i == namesKept-1 {
			t.Error("there are more than may be")
		}
	}
	for i := range usersKept + 10 {
		d.used.with(fmt.Sprint(i), "", func(*userNotebooks) {})
	}
	if len(d.used.clients) != usersKept {
		t.Errorf("%d clients", len(d.used.clients))
	}
	d.used.with("last", "", func(u *userNotebooks) { u.current = "x" })
	d.used.forget("last")
	d.used.with("last", "", func(u *userNotebooks) {
		if u.current != "" {
			t.Error("not forgotten")
		}
	})
}
