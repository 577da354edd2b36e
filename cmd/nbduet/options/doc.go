// Package options fills a struct from a command line and the environment, by the tags of its fields:
//
//	name         the flag's name; without it, the field's in lower case, with hyphens between its words
//	short        a letter that stands for the flag
//	env          the variables that stand for the flag, the first one that is set first, with commas between them
//	default      the value where nothing else gives one
//	placeholder  what the help writes for the value
//	help         what the flag is; ${default} and the names that the caller gives are replaced
//	embed        the fields of this struct are flags, too
//
// Fields are strings, ints, bools and lists of strings, which have commas between them. A flag wins over the
// environment, and a variable that is empty is not set: forms hand down what was left empty.
//
// It is small because a library for it costs the program a tenth of its size: those that call methods by their names
// keep the linker from leaving out any method at all.
package options
