// Package nbformat reads and writes the JSON of notebook files, in nbformat 4 (nbformat/v4/nbformat.v4.5.schema.json). Its
// input comes from callers, so it is checked, and the errors name the place of the mistake.
//
// # Concurrency
//
// The package has only functions, without shared state.
package nbformat
