// Package faults lists the ways in which a first start fails, each with a sentence that says what is wrong and what
// to do.
//
// The sentences are in one table. A tool's answer, the line in the terminal and a diagnosis all use it: an error
// caused by a fault has a [Fault] in its chain, which [Of] finds.
//
// A sentence names the settings of the only server, such as --token (JUPYTER_TOKEN). If there are two servers,
// [Fault.ForRole] replaces them by the settings of one role.
package faults
