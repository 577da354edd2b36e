// Package inspect looks at the variables of a running kernel: which there are, what one of them holds, what is in a
// table; and into files of data. People's code and what they see of the kernel stay as they are.
//
// # No trace
//
// An inspection is a silent execution of no code with one user expression (Jupyter messaging protocol, "execute"): it
// has no number, is in no history, shows nothing and leaves _, In and Out alone. The expression runs the provider's
// source with a dictionary of its own as its globals, so that it defines no name that the user could meet and is not
// misled by names that the user has redefined; the dictionary is emptied at the end, so that nothing keeps the user's
// objects alive. A module under a private name in sys.modules would save compiling the source each time (some
// milliseconds), but would be there to be seen, to be pickled and to be out of date. No exception leaves the
// expression: IPython would keep it as sys.last_value.
//
// # Nothing of the caller's is run
//
// A name is an identifier or a dotted path of them ([CheckName]), and goes to the kernel as a string literal, as data.
// It is looked up in the namespace and then from attribute to attribute as inspect.getattr_static does: no __getattr__,
// property or other descriptor written in Python is run, and one that is met is refused. Slots and the fields of
// compiled classes are read, and so are the columns of a table. There are no calls and no subscripts.
//
// # Bounded time and size
//
// The list of variables runs no code of the user's. One value's repr does, as do the methods of a table. Each such call
// has its own time, and the inspection has one for all of them, kept by SIGALRM inside the kernel: unlike an interrupt
// from outside, it can hit nothing but this inspection, however the kernel's queue moves meanwhile. The user's own
// handler and timer are put back. C code that heeds no signal is waited for, and so no object of the user's is hashed or
// compared: pandas goes on after an exception there. What comes back is cut inside the kernel.
//
// A kernel that is busy is not waited for, see [ErrBusy].
//
// # R
//
// IRkernel evaluates no user expressions. There an inspection is a silent execution of one expression, whose answer comes
// in the payload of the reply, which is for who asked alone; the provider's source is evaluated in an environment of its
// own above R's base. IRkernel tells all its clients what it executes, silent or not: a front end that shows what others
// run shows the expression too. A name is one of R, or a path of them with $ and @ between. Objects are unclassed before
// they are read, so that no method of the user's is run, promises are not forced (where rlang is loaded, as with
// IRkernel it is) and active bindings not called. R code cannot be ended from within without a trace, so nothing is done
// that takes long: the larger a table, the less is computed of it, and nothing after the inspection's time.
//
// # Julia
//
// IJulia evaluates user expressions, and shows their values as text. What it evaluates before becomes ans, silent or not,
// and so that is ans itself. A name in Main is neither defined nor used, as Julia refuses to define a name later that has
// been used; where a name has no value in Main itself, such as pi, there is no variable. Julia's functions are open, so
// that a package or a cell may have given even Base's numbers a show of their own: none is called on a value but builtins
// and what Base has for its own types beneath show. Fields are read with getfield, and the columns of packages by what
// they are made of. DataFrames.jl, and the arrays of CategoricalArrays.jl, PooledArrays.jl, SentinelArrays.jl and
// InlineStrings.jl that CSV.jl makes, are known by their modules and fields. As in R, no code can be ended from within:
// what goes over values looks at the time.
//
// The source stays in the kernel, as a module in Base.__toplevel__, where it is no package and nobody's name: its name has
// the hash of the source in it, so that it is never out of date. Unlike Python's, compiled code of Julia is not freed, and
// to make it anew each time would take a second. What is asked once is interpreted where Julia can.
//
// # Files
//
// The beginning of a file ([File]) is read in a kernel that serves nothing else, so that a file that ends the process
// costs nobody anything, and the process can have a limit to its memory. Text is read as a stream and rows are counted
// for a while; SQLite is opened as it lies, immutable; of Parquet and Feather the first part is decoded. What a file is
// called is data as well, and a module that lies beside it is not imported.
//
// # Concurrency
//
// All functions are safe for concurrent use; no goroutine outlives a call.
package inspect
