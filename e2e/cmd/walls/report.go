package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// check prints a line for each package that is over its limit, with the files of its knot, and for each that has no
// limit. With all it also prints the limits that hold for no package, so that the file stays true.
func check(out io.Writer, graphs []graph, lim limits, all bool) error {
	used := map[limit]bool{}
	var failed error
	for _, g := range graphs {
		l, ok := lim.of(g.Path)
		used[l] = true
		in := knot(g.Files, g.Arrows)
		switch {
		case !ok:
			fmt.Fprintf(out, "%s: no limit; give it one\n", g.Path)
		case len(in) > l.Max:
			fmt.Fprintf(out, "%s: %d files all need each other, the limit of %s is %d: %s (to see why: walls -edges %s)\n",
				g.Path, len(in), l.Pattern, l.Max, strings.Join(in, " "), g.Path)
		default:
			continue
		}
		failed = errOver
	}
	for _, l := range lim {
		if all && !used[l] {
			fmt.Fprintf(out, "%s: a limit for no package; take it away\n", l.Pattern)
			failed = errOver
		}
	}
	return failed
}

// printTable prints how many files each package has, how many all need each other, and how many may.
func printTable(out io.Writer, graphs []graph, lim limits) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "package\tfiles\tknot\tlimit")
	for _, g := range graphs {
		most := "-"
		if l, ok := lim.of(g.Path); ok {
			most = fmt.Sprint(l.Max)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", g.Path, len(g.Files), len(knot(g.Files, g.Arrows)), most)
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
