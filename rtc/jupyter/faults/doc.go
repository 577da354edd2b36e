// Package faults lists the ways in which a first start fails, each with a sentence that says what is wrong and what to do.
//
// The sentences are in one table. A tool's answer, the line in the terminal and a diagnosis all have theirs from it: an
// error that is of a fault has a [Fault] in its chain, which [Of] finds.
//
// A sentence names the settings of the only server, such as --token (JUPYTER_TOKEN). Of one of two servers,
// [Fault.ForRole] names those of its role.
package faults
