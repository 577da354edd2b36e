// Package toolstest is what the tests of tools have in common: a [Rig], which is an MCP client of the tools on a real
// Jupyter server, and what is asked and checked through it in several packages. Package sample has cells, outputs and
// files for tests that need no server.
package toolstest
