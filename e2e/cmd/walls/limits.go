package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// limits say how large packages may become, in the order of their file, and the whole program.
type limits struct {
	packages []limit
	program  map[string]int // by the name of the bound
}

// A limit holds for one package ("session"), or for that package and all below it ("session/...").
type limit struct {
	Pattern string
	// Knot is how many files may all need each other, Methods how many methods one type may have, and Files how many
	// files there may be.
	Knot, Methods, Files int
}

// columns are the names of a limit's numbers, in their order.
var columns = []string{"knot", "methods", "files"}

// readLimits reads a file of lines such as "session 18 71 54" and "session/... 12 30 20": a package, its knot, the methods
// of a type, and its files. What follows a # is a comment.
func readLimits(file string) (limits, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return limits{}, err
	}
	lim, err := parseLimits(text)
	if err != nil {
		return limits{}, fmt.Errorf("%s:%w", file, err)
	}
	return lim, nil
}

func parseLimits(text []byte) (limits, error) {
	lim := limits{program: map[string]int{}}
	known := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "all" {
			if err := lim.bound(fields[1:]); err != nil {
				return limits{}, fmt.Errorf("%d: %w", n, err)
			}
			continue
		}
		if len(fields) != 1+len(columns) {
			return limits{}, fmt.Errorf("%d: want a package and the numbers of %s, have %q", n, strings.Join(columns, ", "), strings.TrimSpace(line))
		}
		most := make([]int, len(columns))
		for i, field := range fields[1:] {
			number, err := strconv.Atoi(field)
			if err != nil || number < 0 || number == 0 && columns[i] != "methods" { // a type may have none
				return limits{}, fmt.Errorf("%d: %q is no number of %s", n, field, columns[i])
			}
			most[i] = number
		}
		if known[fields[0]] {
			return limits{}, fmt.Errorf("%d: %s has a limit already", n, fields[0])
		}
		known[fields[0]] = true
		lim.packages = append(lim.packages, limit{Pattern: fields[0], Knot: most[0], Methods: most[1], Files: most[2]})
	}
	return lim, lines.Err()
}

// bound reads a line of a bound of the whole program, such as "all lines 70000".
func (lim limits) bound(fields []string) error {
	if len(fields) != 2 || !slices.Contains([]string{boundBeside, boundFunction, boundLines}, fields[0]) {
		return fmt.Errorf("want all, one of %s, %s, %s, and a number", boundBeside, boundFunction, boundLines)
	}
	number, err := strconv.Atoi(fields[1])
	if err != nil || number < 1 {
		return fmt.Errorf("%q is no number of %s", fields[1], fields[0])
	}
	lim.program[fields[0]] = number
	return nil
}

// of finds the limit of a package: its own, or else that of the nearest package above it that has one for all below.
func (lim limits) of(path string) (limit, bool) {
	var found limit
	for _, l := range lim.packages {
		if l.Pattern == path {
			return l, true
		}
		above, all := strings.CutSuffix(l.Pattern, "/...")
		if all && (path == above || strings.HasPrefix(path, above+"/")) && len(l.Pattern) > len(found.Pattern) {
			found = l
		}
	}
	return found, found.Pattern != ""
}
