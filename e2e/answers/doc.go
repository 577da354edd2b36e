// Package answers measures what the answers that show notebooks cost a model, in tokens, against what the notebooks say
// ([github.com/nbduet/nbduet/e2e/tokens]): twenty public notebooks, in e2e/testdata/notebooks, and a fixed one that the
// package makes. It needs nothing but Go: the notebooks lie on a fake Jupyter server.
//
// Nothing here depends on the form of an answer, but for the cursor of one that has not shown all cells.
//
// Concurrency: the functions keep no state.
package answers
