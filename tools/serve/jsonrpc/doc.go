// Package jsonrpc reads the parts of a JSON-RPC message that are needed before mcp-go gets it: its kind, its id as it was
// sent, and the reason for cancelling a call. mcp-go reads ids as floating-point numbers and drops the reason.
package jsonrpc
