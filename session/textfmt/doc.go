// Package textfmt formats parts of messages for people and models: numbers, quotations, and texts cut to size.
//
// # Concurrency
//
// The package has only functions, without shared state.
package textfmt
