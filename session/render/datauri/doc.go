// Package datauri finds files in texts that are data: URIs, such as pictures pasted into a Markdown cell, and abbreviates
// them.
//
// [Abbreviate] shortens each URI to its type and size: "data:image/png, 38 kB". [Restore] puts the data back into a text
// that was edited in its short form. [Expand] abbreviates outputs, and makes an output of each picture.
//
// # Concurrency
//
// The package has only functions, without shared state.
package datauri
