// Package notebook has the tools of notebooks: list, read, insert, change, delete and run cells, kernels, runs, and the
// addresses of notebooks. [Tools] lists them.
//
// One function makes one tool, is named after it, and stands in the file of its subject.
package notebook
