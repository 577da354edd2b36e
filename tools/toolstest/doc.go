// Package toolstest has helpers for the tests of tools: a [Rig], which is an MCP client of the tools on a real Jupyter
// server, and the calls and checks that several packages share. Package sample has cells, outputs and files for tests that
// need no server.
package toolstest
