package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// limits say how many files of a package may all need each other, in the order of their file.
type limits []limit

// A limit holds for one package ("session"), or for that package and all below it ("session/...").
type limit struct {
	Pattern string
	Max     int
}

// readLimits reads a file of lines such as "session 18" and "session/... 12". What follows a # is a comment.
func readLimits(file string) (limits, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lim, err := parseLimits(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return lim, nil
}

func parseLimits(text []byte) (limits, error) {
	var lim limits
	known := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%d: want a package and a number, have %q", n, strings.TrimSpace(line))
		}
		most, err := strconv.Atoi(fields[1])
		if err != nil || most < 1 {
			return nil, fmt.Errorf("%d: %q is no number of files", n, fields[1])
		}
		if known[fields[0]] {
			return nil, fmt.Errorf("%d: %s has a limit already", n, fields[0])
		}
		known[fields[0]] = true
		lim = append(lim, limit{Pattern: fields[0], Max: most})
	}
	return lim, lines.Err()
}

// of finds the limit of a package: its own, or else that of the nearest package above it that has one for all below.
func (lim limits) of(path string) (limit, bool) {
	var found limit
	for _, l := range lim {
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
