// Package lab runs a real JupyterLab with jupyter-collaboration for the
// end-to-end tests and the demo.
//
// Everything that the server reads or writes lies in one temporary folder of
// its own: home, configuration, data, runtime files, workspaces, the root with
// the notebooks, and the collaboration store. So neither the settings nor the
// running servers of the user who runs the tests are seen or touched.
//
// Concurrency: a Lab may be used from any goroutine. The server process has
// one goroutine, which waits for its end; Stop waits for that goroutine.
package lab
