// Package apart has two files, and a circle only by way of its test.
package apart

// A needs B.
func A() int { return B() }
