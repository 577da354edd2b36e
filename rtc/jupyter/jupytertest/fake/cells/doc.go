// Package cells runs the cells of tests in the kernels of the fake Jupyter server: Starlark with four rewritings. A
// test that needs more of Python needs a real server, see NeedsReal of package jupytertest.
//
// The rewritten parts are lines that begin with "%" or "!" or end with "?", import, raise, and numbers such as 1_000.
// Then go.starlark.net runs the cell, statement by statement, with while, sets, recursion and loops outside
// functions. The last expression is displayed, exceptions have IPython's traceback, and sleep uses package time.
//
// Cells have the builtins of Starlark and print, input, open, display, get_ipython, globals, exit, exceptions; and a
// little of time, threading, os, sys, signal, getpass, base64, comm, IPython.display and matplotlib.pyplot, which
// always shows the same figure. There are no classes except type('Name', (Exception,), {}), no try, with, f-strings,
// widths in formats, or ** for powers.
//
// # Unsupported code
//
// Code that Python may support and this package does not fails the test, with the unsupported word, through
// [Config].NotUnderstood: any unknown module, attribute, argument, magic or Starlark error, the name of a builtin of
// Python, and a cell that cannot be parsed. The following are errors as in Python: any other unknown name, a missing
// key or index, a division by zero, an exception from raise, and unbalanced brackets, which are a SyntaxError.
//
// # Differences
//
//   - an undefined name is detected before its statement runs, and a function has the variables of the module as they
//     were when it was defined;
//   - texts count bytes, str.format and % format list elements as Starlark does, and a long value is not split into lines;
//   - omitted arguments are None, and exceptions have one argument;
//   - nbduet's own programs, which begin with __import__('builtins').exec, raise NotImplementedError.
//
// # Concurrency
//
// An [Interp] is used by one goroutine at a time; only [Interp.Interrupt] may be called from any goroutine. It waits
// only on timers and channels, so that it can run in a bubble of testing/synctest.
package cells
