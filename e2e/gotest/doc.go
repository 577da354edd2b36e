// Package gotest reads what `go test -json` writes, also while the tests still run: what became of each test, how long it
// took, which have begun and not ended.
//
// A [Log] is not safe for concurrent use.
package gotest
