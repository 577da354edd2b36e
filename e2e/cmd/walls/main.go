// Command walls measures how far the files of each package stand apart, and how large each package and its largest type
// are, and keeps that from getting worse.
//
// Go forbids circles of imports between packages, and says nothing about circles within one: there any file may call
// any other, until no part of the package can be read, tested or moved without the rest. So the measure is the largest
// set of files in a package that all need each other, its knot. A file needs another when it names what the other
// declares: a func, type, var or const of the package, or a method of one of its types, through embedding too. Fields
// do not count, for they stand with their type; nor do test files.
//
// That does not see a package with too many jobs whose files stand apart, nor a type with too many, each of whose methods
// may use all of its fields. So the files of a package are counted as well, and the methods that are declared on each of
// its types, those of the value and of the pointer together, exported or not, of which the most count. A function that takes
// the package's own type first, or first after a context, counts as a method of it. Again test files do not.
//
// Three bounds hold for the program as a whole: how many packages lie beside each other in a folder, how many lines of code
// a function has, and how many all packages have together, those for tests aside.
//
//	walls                              print each package's knot, most methods of a type, and files
//	walls -limits FILE                 print the packages over a limit, and exit with 1 if there are any
//	walls -v -limits FILE              print all packages with their limits as well
//	walls -edges tools                 print who names what of whom within the knot of tools
//	walls -asserts FILE                print the packages whose tests join more or fewer facts by || than the file says
//	walls -prose FILE                  print the phrases that occur more or fewer times in comments, strings and Markdown
//
// It measures the packages of the module in the directory where it runs, or those that are named: "tools" and
// "tools/..." are the same as "./tools" and "./tools/...". What is built for another system than this one is left out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errOver):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "walls:", err)
		os.Exit(2)
	}
}

// errOver says that a package is over a limit; which ones has been printed.
var errOver = errors.New("over a limit")

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("walls", flag.ContinueOnError)
	file := flags.String("limits", "", "the `file` of limits; without it, nothing is too large")
	asserts := flags.String("asserts", "", "the `file` with the number of || in the assertions of each package: check these alone")
	prose := flags.String("prose", "", "the `file` with the number of phrases to avoid: check these alone")
	verbose := flags.Bool("v", false, "print all packages, and not only those over a limit")
	edges := flags.Bool("edges", false, "print who names what of whom within each knot, the least named first")
	if err := flags.Parse(args); err != nil {
		return err
	}

	if *asserts != "" {
		return checkAsserts(out, ".", *asserts)
	}
	if *prose != "" {
		return checkProse(out, ".", *prose)
	}
	var lim limits
	if *file != "" {
		var err error
		if lim, err = readLimits(*file); err != nil {
			return err
		}
	}
	graphs, err := load(".", patterns(flags.Args())...)
	if err != nil {
		return err
	}

	switch {
	case *edges:
		printEdges(out, graphs)
	case *verbose, *file == "":
		printTable(out, graphs, lim)
	}
	if *file == "" {
		return nil
	}
	// A limit that no package has is only wrong when all packages were measured.
	return check(out, graphs, lim, flags.NArg() == 0)
}

// patterns turns the names of packages into what the go command understands.
func patterns(names []string) []string {
	if len(names) == 0 {
		return []string{"./..."}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "/") {
			out[i] = "./" + name
		}
	}
	return out
}
