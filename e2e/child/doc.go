// Package child drives programs that hold shared documents of other libraries. Each reads requests from its standard
// input, a line of JSON with an array of commands, and answers each with a line: an array of results or {"error": …}.
//
// A Process belongs to one goroutine.
package child
