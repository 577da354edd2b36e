// Package analysis has the tools of analysis sessions: sessions with a kernel, code in them, their variables, data files and
// images, and the further names for cells and files (the toolset "cells"). [Tools] lists them.
//
// execute_code and execute_cell also answer like Datalayer's server, so package tools makes them, from functions of this
// package.
//
// # Concurrency
//
// The tools may be called by several goroutines at once. Calls that read variables of one kernel wait for each other.
package analysis
