// Package pyjson reads and writes JSON like Python's json module, in which NaN, Infinity and -Infinity are numbers.
// Notebook files, kernels and Jupyter servers use them.
//
// [Standard] turns such a text into JSON by replacing each of these numbers by a literal; [Value] parses the
// literals, and [Python] restores the numbers. A decoded number of this kind is a [Number], which encoding/json
// writes as a string, so that every answer is valid JSON.
//
// # Concurrency
//
// The package has only functions without shared state.
package pyjson
