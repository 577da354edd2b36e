// Package python is a small Python for the kernels of the fake Jupyter server: what tests run in cells behaves as on
// ipykernel, with its outputs, exceptions, tracebacks and displays, without a process.
//
// A cell is parsed as Python, its tree is made into one of Starlark's, and go.starlark.net compiles and runs that.
// Starlark gives scopes, calls, control flow and the containers; what it has no form for (classes, exceptions, with,
// attributes of anything, chained comparisons, f-strings) becomes calls of functions of this package. Variables of the
// module are kept between cells.
//
// It is not all of Python, and means to be no more than tests need. It differs knowingly in these:
//   - generators run to their end when they are made, and there is no await;
//   - a class of the program can derive from object, from exceptions and from classes of the program only;
//   - texts are UTF-8, so that lone surrogates do not exist; numbers are ints and floats;
//   - modules are few, and have little in them: sys, os, pathlib, time, signal, json, math, base64, zlib, struct, getpass,
//     warnings, logging, comm, IPython.display; matplotlib.pyplot takes any call and draws lines of the numbers in it; PIL
//     and pandas have one function each;
//   - "!" does echo only, nothing starts a process, and os.kill and os._exit end the pretended process;
//   - files are those of the disk below the working folder, read and written at once.
//
// # Concurrency
//
// An [Interp] is used by one goroutine at a time; only [Interp.Interrupt] may be called by any. A cell sleeps on timers
// of package time and waits on channels, never with a lock held, so that it runs within a bubble of testing/synctest.
// While it waits for input it has one goroutine beside its own, which ends before the input is returned.
package python
