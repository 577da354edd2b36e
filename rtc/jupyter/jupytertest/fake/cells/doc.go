// Package cells runs the cells of tests in the kernels of the fake Jupyter server: Starlark with four rewritings. A test that
// needs more of Python needs the real one, see NeedsReal of package jupytertest.
//
// What is rewritten is a line that begins with "%" or "!" or ends with "?", import, raise, and numbers such as 1_000; then
// go.starlark.net runs the cell, statement by statement, with while, sets, recursion and loops outside functions. The last
// expression is shown, what raises has IPython's traceback, and sleeping takes the time of package time.
//
// Cells have the builtins of Starlark and print, input, open, display, get_ipython, globals, exit, exceptions; and a little of
// time, threading, os, sys, signal, getpass, base64, comm, IPython.display and matplotlib.pyplot, which shows the same figure always.
// There are no classes but type('Name', (Exception,), {}), no try, with, f-strings, widths in formats, or ** for powers.
//
// # What is not understood
//
// What Python might have and is not here fails the test, with the word: [Config].NotUnderstood is told of it. That is any
// module, attribute, argument, magic and error of Starlark's that is not known, the name of a builtin of Python, and a cell
// that cannot be parsed. Errors as in Python are a name that is none of those, a key or index that is not there, a division
// by zero, what raise raises, and brackets without their other halves, which are a SyntaxError.
//
// # Differences
//
//   - a name that is not defined is noticed before its statement runs, and a function has the variables of the module as
//     they were when it was defined;
//   - texts count bytes, str.format and % write what is in a list as Starlark does, and a long value is not cut in lines;
//   - arguments that are left out are None, and exceptions have one;
//   - nbduet's own programs, which begin with __import__('builtins').exec, raise NotImplementedError.
//
// # Concurrency
//
// An [Interp] is used by one goroutine at a time; only [Interp.Interrupt] may be called by any. It waits on timers and
// channels only, so that it runs within a bubble of testing/synctest.
package cells
