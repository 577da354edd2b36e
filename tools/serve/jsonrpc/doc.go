// Package jsonrpc reads of a JSON-RPC message what has to be known before mcp-go gets it: what kind of message it is,
// its id as it was sent, and why a call is cancelled. mcp-go reads ids as floating-point numbers and drops the reason.
package jsonrpc
