package jupytertest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// misunderstandings are cells that the fake's kernels could not run as Python would. Such a cell fails the test that
// started the server; after that test, or for a shared server, it fails the tests of the binary.
type misunderstandings struct {
	mu    sync.Mutex
	stray []string
}

var misunderstood misunderstandings

// teller returns the function that receives unsupported cells of a test's server; t is nil for a server of all tests.
func (m *misunderstandings) teller(t testing.TB) func(cell, word string) {
	over := t == nil
	if t != nil {
		t.Cleanup(func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			over = true
		})
	}
	return func(cell, word string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		says := fmt.Sprintf("package cells does not understand %q in the cell\n%.2000s\nWrite it otherwise, or see the doc.go of that package.", word, cell)
		if over {
			m.stray = append(m.stray, says)
			return
		}
		t.Error(says)
	}
}

// fail reports whether the binary must fail for cells that no test has failed for, and prints them.
func (m *misunderstandings) fail() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, says := range m.stray {
		fmt.Fprintln(os.Stderr, says)
	}
	return len(m.stray) > 0
}
