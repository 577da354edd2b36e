// Package gotest reads the output of `go test -json`, even while the tests still run: each test's result and duration,
// and the tests that have begun and not ended.
//
// A [Log] is not safe for concurrent use.
package gotest
