// Package model runs random sequences of tool calls against a plain model of a notebook and of a text: a list of cells,
// a list of characters. After each call the tools read the model's content, and at the end so does the file on disk.
//
// The calls go through an MCP client in this process to a real Jupyter server. A failure prints how to repeat its
// sequence (pgregory.net/rapid); -rapid.checks=n is the number of sequences.
package model
