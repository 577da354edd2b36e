// Package model holds the tests in which random sequences of tool calls are run
// against a plain model of a notebook and of a text: a list of cells, a list of
// characters. After each call what the tools read is what the model holds, and
// at the end the file on disk is too.
//
// The calls go through an MCP client in this process to a real Jupyter server.
// A failure prints how to run its sequence again (pgregory.net/rapid); -rapid.checks=n
// says how many sequences are tried.
package model
