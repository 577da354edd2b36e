// Package corpus tests that nbduet changes only the part of a notebook that a call changes: in notebooks with every
// construct of nbformat 3 and 4 and the outputs of common libraries.
package corpus
