package main

import (
	"cmp"
	"slices"
)

// knot is the largest set of files of which each needs all others, directly or through some of them: the largest
// strongly connected component of the arrows, found by Tarjan's algorithm. Of a package without circles it is one file.
func knot(files []string, arrows []arrow) []string {
	next := map[string][]string{}
	for _, a := range arrows {
		next[a.From] = append(next[a.From], a.To)
	}
	t := tarjan{next: next, index: map[string]int{}, low: map[string]int{}, on: map[string]bool{}}
	for _, file := range files {
		if _, seen := t.index[file]; !seen {
			t.visit(file)
		}
	}
	slices.Sort(t.largest)
	return t.largest
}

// tarjan is the state of Tarjan's algorithm.
type tarjan struct {
	next map[string][]string
	// index numbers the files as they are first met; low is the smallest number that a file is known to reach among
	// those on the stack.
	index, low map[string]int
	stack      []string
	on         map[string]bool
	largest    []string
}

func (t *tarjan) visit(file string) {
	t.index[file] = len(t.index)
	t.low[file] = t.index[file]
	t.stack = append(t.stack, file)
	t.on[file] = true
	for _, to := range t.next[file] {
		if _, seen := t.index[to]; !seen {
			t.visit(to)
			t.low[file] = min(t.low[file], t.low[to])
		} else if t.on[to] {
			t.low[file] = min(t.low[file], t.index[to])
		}
	}
	if t.low[file] != t.index[file] {
		return
	}
	// The file is the first one met of its component, which is what stands above it on the stack.
	at := slices.Index(t.stack, file)
	component := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, f := range component {
		delete(t.on, f)
	}
	if len(component) > len(t.largest) {
		t.largest = component
	}
}

// A cut is an arrow within the knot of a package, with what the knot would be without it.
type cut struct {
	arrow
	// Left is the number of files in the package's largest knot when this arrow is gone.
	Left int
}

// cuts lists the arrows within the knot of a package, those first that are named the least.
func cuts(g graph) []cut {
	in := knot(g.Files, g.Arrows)
	var out []cut
	for i, a := range g.Arrows {
		if !slices.Contains(in, a.From) || !slices.Contains(in, a.To) {
			continue
		}
		others := slices.Delete(slices.Clone(g.Arrows), i, i+1)
		out = append(out, cut{arrow: a, Left: len(knot(g.Files, others))})
	}
	slices.SortFunc(out, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.uses(), b.uses()), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}
