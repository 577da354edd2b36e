// Package nbformat reads and writes the JSON of notebook files, in nbformat 4 (nbformat/v4/nbformat.v4.5.schema.json).
// Its input comes from callers, so it checks it, and its errors say where the mistake is.
//
// # Concurrency
//
// The package has only functions, without shared state.
package nbformat
