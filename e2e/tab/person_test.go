package tab_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// person is a person who looks at a notebook in a browser tab.
type person struct{ *kit.Person }

// open opens a notebook in a tab.
func open(t *testing.T, path string) *person {
	t.Helper()
	return &person{kit.Open(t, path)}
}

// openAt opens a notebook of a server other than the shared one.
func openAt(t *testing.T, l *lab.Lab, path string) *person {
	t.Helper()
	return &person{kit.OpenAt(t, l, path)}
}
