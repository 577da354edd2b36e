// Package notebook has the tools for notebooks, their cells, kernels, runs and addresses. [Tools] lists them.
//
// Each tool is made by one function with the tool's name, in the file of its subject.
package notebook
