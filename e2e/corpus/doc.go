// Package corpus tests that nbduet changes of a notebook what a call changes, and nothing else: in notebooks that have every
// construct of nbformat 3 and 4 and the outputs of the libraries that people use.
package corpus
