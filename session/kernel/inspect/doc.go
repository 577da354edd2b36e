// Package inspect reads the variables of a running kernel: their list, one value, or a table; and the beginning of data
// files. It does not change people's code or their view of the kernel.
//
// # No trace
//
// An inspection is a silent execution of no code with one user expression (Jupyter messaging protocol, "execute"): it gets
// no number and no history, shows nothing, and leaves _, In and Out unchanged. The expression runs the provider's source
// with its own dictionary as globals, so it defines no name visible to the user, and names that the user has redefined do
// not mislead it. At the end the dictionary is emptied, to release the user's objects. A module under a private name in
// sys.modules would save compiling the source each time (some milliseconds), but users could see and pickle it, and it
// could be out of date. No exception leaves the expression, because IPython would keep it as sys.last_value.
//
// # No code of the caller runs
//
// A name is an identifier or a dotted path of them ([CheckName]), and goes to the kernel as a string literal, as data. The
// kernel looks it up in the namespace and then from attribute to attribute, as inspect.getattr_static does: it runs no
// __getattr__, property or other descriptor written in Python, and refuses if it meets one. It reads slots, the fields of
// compiled classes, and the columns of a table. There are no calls and no subscripts.
//
// # Bounded time and size
//
// The list of variables runs no user code. The repr of one value does, and so do the methods of a table. Each such call has
// a time limit, and the inspection has one for all of them. SIGALRM inside the kernel enforces them: unlike an interrupt
// from outside, it can hit only this inspection, however the kernel's queue moves meanwhile. The user's own handler and
// timer are restored. C code that ignores signals cannot be ended, so user objects are never hashed or compared: pandas
// continues after an exception there. The kernel cuts the answer to size.
//
// Inspections do not wait for a busy kernel, see [ErrBusy].
//
// # R
//
// IRkernel evaluates no user expressions. There an inspection is a silent execution of one expression, and the answer comes
// in the payload of the reply, which only its client gets. The provider's source runs in its own environment above R's
// base. IRkernel reports all executed code to all its clients, silent or not: a front end that shows other clients' code
// shows the expression, too. A name is an R name, or a path of them with $ and @ between. Objects are unclassed before they
// are read, so that no user method runs; promises are not forced (if rlang is loaded, as it is with IRkernel) and active
// bindings are not called. R code cannot be ended from within without a trace, so every step is short: less is computed for
// larger tables, and nothing after the inspection's time. So object.size, which measures functions and calls, is called
// only on objects that are known to be small.
//
// # Julia
//
// IJulia evaluates user expressions, and shows their values as text. The value of the code before them becomes ans, silent
// or not, so that code is ans itself. A name in Main is neither defined nor used, because Julia refuses to define a name
// that has been used. A name without a value in Main itself, such as pi, does not count as a variable. Julia's functions
// are open: a package or a cell may have given even Base's numbers its own show. So only builtins are called on a value,
// and Base's functions for its own types below show. Fields are read with getfield, and the columns of packages by their
// structure. DataFrames.jl, and the arrays of CategoricalArrays.jl, PooledArrays.jl, SentinelArrays.jl and
// InlineStrings.jl, which CSV.jl makes, are recognised by their modules and fields. As in R, no code can be ended from
// within: loops over values check the time. Base.summarysize does not, and packages define methods of it, so the size of
// functions is computed here.
//
// The source stays in the kernel, as a module in Base.__toplevel__, where it is neither a package nor a user's name. Its
// name contains the hash of the source, so it is never out of date. Unlike Python's, Julia's compiled code is not freed,
// and compiling it each time would take a second. Code that runs once is interpreted if Julia can do so.
//
// # Files
//
// The beginning of a file ([File]) is read in a kernel that serves nothing else, so that a file that crashes the process
// does no harm, and the process can have a memory limit. Text is read as a stream, and rows are counted for a limited time;
// SQLite is opened in place, as immutable; of Parquet and Feather the first part is decoded. A file's name is data, too,
// and a module beside the file is not imported.
//
// # Concurrency
//
// All functions are safe for concurrent use; no goroutine outlives a call.
package inspect
