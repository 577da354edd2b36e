package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// checkCounts compares counts with the numbers in a file, which must be equal: a larger count is an error, and a smaller one
// is to be written into the file. A line of the file is a name, a space and a number; a name that it lacks has 0.
func checkCounts(out io.Writer, file string, found map[string]int, what, advice string) error {
	most, err := readCounts(file)
	if err != nil {
		return err
	}
	all := maps.Clone(found)
	for name := range most {
		all[name] = found[name]
	}
	var failed error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch n := all[name]; {
		case n > most[name]:
			fmt.Fprintf(out, "%s: %d %s, at most %d: %s\n", name, n, what, most[name], advice)
			failed = errOver
		case n < most[name]:
			fmt.Fprintf(out, "%s: %d %s, fewer than %d: write that down in %s\n", name, n, what, most[name], file)
			failed = errOver
		}
	}
	return failed
}

func readCounts(file string) (map[string]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		space := strings.LastIndexByte(line, ' ')
		count, err := strconv.Atoi(line[space+1:])
		if space < 0 || err != nil {
			return nil, fmt.Errorf("%s:%d: want a name and a number, have %q", file, n+1, line)
		}
		counts[line[:space]] = count
	}
	return counts, nil
}

// eachFile calls do for the files below a folder, except testdata, packages of Node, and hidden folders.
func eachFile(root string, do func(path string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case !d.IsDir():
			return do(path)
		case path != root && (name == "testdata" || name == "node_modules" || name[0] == '.'):
			return fs.SkipDir
		}
		return nil
	})
}
