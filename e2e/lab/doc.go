// Package lab runs a real JupyterLab with jupyter-collaboration for the end-to-end tests and the demo.
//
// The server reads and writes only below one temporary folder: home, configuration, data, runtime files, workspaces, the
// root with the notebooks, and the collaboration store. So it neither sees nor touches the settings and the running
// servers of the user who runs the tests.
//
// Concurrency: a Lab may be used from any goroutine. The server process has one goroutine, which waits for its end; Stop
// waits for that goroutine.
package lab
