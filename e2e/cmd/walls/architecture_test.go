package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The files that ARCHITECTURE.md names are there.
func TestArchitectureNamesFiles(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(?:`|\\]\\()((?:cmd|tools|session|rtc|ydoc|e2e)/[a-z0-9_/]+\\.go)[`)#]").FindAllSubmatch(page, -1)
	if len(named) < 50 {
		t.Errorf("only %d files are found in it", len(named))
	}
	for _, m := range named {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(string(m[1])))); err != nil {
			t.Errorf("it names %s: %v", m[1], err)
		}
	}
}
