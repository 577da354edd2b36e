// Package figures compares the comparison table of README.md with a measurement by
// [github.com/nbduet/nbduet/e2e/cmd/bench/measure]. It needs a JupyterLab and Datalayer's jupyter-mcp-server.
package figures
