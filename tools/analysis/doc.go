// Package analysis has the tools of analysis sessions: sessions with a kernel, code in them, their variables, data
// files and images, and the further names for cells and files (the toolset "cells"). [Tools] lists them.
//
// execute_code and execute_cell, which answer also for Datalayer's names, are made in package tools of what is here.
package analysis
