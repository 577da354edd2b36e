// Package e2e holds the end-to-end tests: the real program as an MCP client
// runs it, a real JupyterLab, a real browser.
//
// One JupyterLab and one browser serve all tests of the package. Each test has
// a notebook of its own, and each tab is another person to JupyterLab. What the
// tests saw is kept as screenshots in the folder artifacts, one folder for each
// test.
package e2e
