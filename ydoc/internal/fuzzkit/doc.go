// Package fuzzkit is what the fuzz tests of shared documents have in common: the recorded traffic of a JupyterLab tab
// to begin with ([Session]), a mutator for short runs that are the same each time ([Mutate]), and a watch over the time
// and the memory that each input takes ([Watch]). Only tests use it.
//
// Concurrency: Session and Mutate may be called from any goroutine, Watch from one at a time.
package fuzzkit
