package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
)

var (
	// released matches the heading of a published version in the changelog: one with a date.
	released = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+\S*)\] - \d{4}-\d\d-\d\d$`)
	// fromRelease matches a command that needs a published release.
	fromRelease = regexp.MustCompile(`uvx nbduet|npx -y nbduet|pip install nbduet|brew install|nbduet\[jupyter\]|ghcr\.io/nbduet|go install github\.com/nbduet|releases/latest`)
	// note matches the part of a page about the release.
	note     = regexp.MustCompile(`(?s)(<!--|#) release:begin( -->)?\n.*?\n(<!--|#) release:end( -->)?`)
	constant = regexp.MustCompile(`(?m)^const published = ".*"$`)
)

// Only the changelog decides whether a release is published: the program and each page that names a package follow it.
func TestReleaseNotes(t *testing.T) {
	root := filepath.Join("..", "..")
	latest := ""
	if m := released.FindStringSubmatch(read(t, filepath.Join(root, "CHANGELOG.md"))); m != nil {
		latest = m[1]
	}
	sentence := "**No release is published yet**: the commands below work once one is. Until then, build from source: `make build` makes the program, `make wheel` the Python packages, in `dist`."
	if latest != "" {
		sentence = "The latest release is " + latest + "."
	}
	follows(t, "version.go", constant, `const published = "`+latest+`"`, "Release")
	pages := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(file) != ".md" && filepath.Ext(file) != ".yaml" || strings.HasPrefix(d.Name(), ".") || d.Name() == "CHANGELOG.md":
			return nil
		}
		if !fromRelease.MatchString(read(t, file)) {
			return nil
		}
		pages++
		want := "<!-- release:begin -->\n" + sentence + "\n<!-- release:end -->"
		if filepath.Ext(file) == ".yaml" {
			want = "# release:begin\n# " + strings.ReplaceAll(sentence, "**", "") + "\n# release:end"
		}
		follows(t, file, note, want, "Release")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 6 {
		t.Errorf("only %d pages name a package", pages)
	}
}

// A build from source prints a note about itself and the release; a release prints none.
func TestReleaseNote(t *testing.T) {
	for version, want := range map[string]bool{devel: true, "0.0.1-dev.gabcdef0": true, "0.1.0": false, "0.2.0-rc.1": false} {
		got := build{version: version}.releaseNote()
		test.Eq(t, want, strings.HasPrefix(got, "This nbduet is built from source. "), test.Sprint(version))
		test.False(t, want && strings.Contains(got, "No release is published") != (published == ""), test.Sprint(version))
	}
}
