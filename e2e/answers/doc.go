// Package answers measures the cost in tokens of the answers that show notebooks, compared with the content of the
// notebooks ([github.com/nbduet/nbduet/e2e/tokens]): twenty public notebooks, in e2e/testdata/notebooks, and a fixed one
// that the package makes. It needs only Go: a fake Jupyter server has the notebooks.
//
// Nothing here depends on the form of an answer except the cursor of an answer that has not shown all cells.
//
// Concurrency: the functions keep no state.
package answers
