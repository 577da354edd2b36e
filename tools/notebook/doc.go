// Package notebook has the tools for notebooks, their cells, kernels, runs and addresses. [Tools] lists them.
//
// Each tool is made by a function named like the tool, in the file of its subject.
package notebook
