// Package pyjson reads and writes JSON as Python's json module does: NaN, Infinity and -Infinity are numbers there, and
// notebook files, kernels and Jupyter servers have them.
//
// [Standard] makes JSON of such a text, with a literal in place of each of these numbers; [Value] reads the literals, and
// [Python] writes the numbers back. A decoded number of this kind is a [Number], which encoding/json writes as a string, so
// that any answer stays valid JSON.
//
// # Concurrency
//
// The package has only functions, without shared state.
package pyjson
