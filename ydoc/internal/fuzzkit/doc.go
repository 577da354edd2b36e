// Package fuzzkit is shared by the fuzz tests of documents: the recorded traffic of a JupyterLab tab as a seed
// ([Session]), a mutator for short reproducible runs ([Mutate]), and a check of the time and memory used for each
// input ([Watch]). Only tests use it.
//
// Concurrency: Session and Mutate are safe for concurrent use, Watch is not.
package fuzzkit
