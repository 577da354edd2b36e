// Package circle has three files that need each other, and two that stand on their own.
package circle

// A needs B.
func A() int { return B() + bottom }
