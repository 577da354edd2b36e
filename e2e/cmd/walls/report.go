package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// check prints a line for each limit that a package is over, with what is too many and what to do about it, and for each
// package that has no limit. With all it also prints the limits that hold for no package, so that the file stays true.
func check(out io.Writer, graphs []graph, lim limits, all bool) error {
	used := map[limit]bool{}
	var failed error
	for _, g := range graphs {
		l, ok := lim.of(g.Path)
		used[l] = true
		problems := []string{"no limit; give it one"}
		if ok {
			problems = over(g, l)
		}
		for _, problem := range problems {
			fmt.Fprintf(out, "%s: %s\n", g.Path, problem)
			failed = errOver
		}
	}
	for _, l := range lim.packages {
		if all && !used[l] {
			fmt.Fprintf(out, "%s: a limit for no package; take it away\n", l.Pattern)
			failed = errOver
		}
	}
	if all {
		failed = cmp.Or(checkProgram(out, graphs, lim.program), failed)
	}
	return failed
}

// over says of what a package has more than its limit.
func over(g graph, l limit) (problems []string) {
	if in := knot(g.Files, g.Arrows); len(in) > l.Knot {
		problems = append(problems, fmt.Sprintf("%d files all need each other, the limit of %s is %d: %s (to see why: walls -edges %s)",
			len(in), l.Pattern, l.Knot, strings.Join(in, " "), g.Path))
	}
	if g.Methods > l.Methods {
		problems = append(problems, fmt.Sprintf("%s has %d methods and functions that take it first, the limit of %s is %d: "+
			"give those that work on the same few fields a type of their own", g.Widest, g.Methods, l.Pattern, l.Methods))
	}
	if len(g.Files) > l.Files {
		problems = append(problems, fmt.Sprintf("%d files, the limit of %s is %d: "+
			"move those that do one job into a package of their own", len(g.Files), l.Pattern, l.Files))
	}
	return problems
}

// printTable prints of each package how many files all need each other, how many methods its widest type has, and how
// many files there are, each with how many there may be.
func printTable(out io.Writer, graphs []graph, lim limits) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintf(table, "package\t%s\twidest type\n", strings.Join(columns, "\t"))
	for _, g := range graphs {
		l, ok := lim.of(g.Path)
		cell := func(have, most int) string {
			if !ok {
				return fmt.Sprint(have)
			}
			return fmt.Sprintf("%d of %d", have, most)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", g.Path, cell(len(knot(g.Files, g.Arrows)), l.Knot),
			cell(g.Methods, l.Methods), cell(len(g.Files), l.Files), cmp.Or(g.Widest, "-"))
	}
}

// printEdges prints the arrows within the knot of each package, those first that are named the least, each with what
// it names, how often, and how large the knot would be without it if it would be smaller.
func printEdges(out io.Writer, graphs []graph) {
	for _, g := range graphs {
		in := knot(g.Files, g.Arrows)
		if len(in) < 2 {
			continue
		}
		fmt.Fprintf(out, "%s: %d of %d files all need each other\n", g.Path, len(in), len(g.Files))
		for _, c := range cuts(g) {
			left := ""
			if c.Left < len(in) {
				left = fmt.Sprintf("; %d without it", c.Left)
			}
			names := strings.Join(slices.Sorted(maps.Keys(c.Names)), ", ")
			fmt.Fprintf(out, "\t%s -> %s: %s (%d%s)\n", c.From, c.To, names, c.uses(), left)
		}
	}
}
