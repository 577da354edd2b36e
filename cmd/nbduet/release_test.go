package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// released is the heading of a published version in the changelog: one with a date.
	released = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+\S*)\] - \d{4}-\d\d-\d\d$`)
	// fromRelease is a command that needs a published release.
	fromRelease = regexp.MustCompile(`uvx nbduet|npx -y nbduet|pip install '?"?(?:nbduet|jupyterlab jupyter-collaboration '?nbduet)|brew install|nbduet\[jupyter\]|ghcr\.io/nbduet|go install github\.com/nbduet|releases/latest`)
	// note is where a page says whether there is one.
	note     = regexp.MustCompile(`(?s)(<!--|#) release:begin( -->)?\n.*?\n(<!--|#) release:end( -->)?`)
	constant = regexp.MustCompile(`(?m)^const published = ".*"$`)
)

// The changelog alone says whether a release is published: the program and each page that names a package follow it.
func TestReleaseNotes(t *testing.T) {
	root := filepath.Join("..", "..")
	latest := ""
	if m := released.FindStringSubmatch(read(t, filepath.Join(root, "CHANGELOG.md"))); m != nil {
		latest = m[1]
	}
	sentence := "**No release is published yet**: what follows works once one is. Until then, build from source: `make build` makes the program, `make wheel` the Python packages, in `dist`."
	if latest != "" {
		sentence = "The latest release is " + latest + "."
	}
	follows(t, "version.go", constant, `const published = "`+latest+`"`)
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "--", "*.md", "deploy/*.yaml").Output()
	if err != nil {
		t.Skip("the pages are listed by git: ", err)
	}
	pages := 0
	for _, page := range strings.Fields(string(list)) {
		file := filepath.Join(root, page)
		text := read(t, file)
		if page == "CHANGELOG.md" || !fromRelease.MatchString(text) {
			continue
		}
		pages++
		if !note.MatchString(text) {
			t.Errorf("%s names %q, and does not say between <!-- release:begin --> and <!-- release:end --> whether there is a release", page, fromRelease.FindString(text))
			continue
		}
		want := "<!-- release:begin -->\n" + sentence + "\n<!-- release:end -->"
		if strings.HasSuffix(page, ".yaml") {
			want = "# release:begin\n# " + strings.ReplaceAll(sentence, "**", "") + "\n# release:end"
		}
		follows(t, file, note, want)
	}
	if pages < 6 {
		t.Errorf("only %d pages name a package", pages)
	}
}

// follows compares the part of a file that a pattern finds, or writes it.
func follows(t *testing.T, file string, part *regexp.Regexp, want string) {
	t.Helper()
	text := read(t, file)
	if part.FindString(text) == want {
		return
	}
	if !*update {
		t.Errorf("%s does not follow CHANGELOG.md: go test ./cmd/nbduet -run Release -update", file)
		return
	}
	if err := os.WriteFile(file, []byte(part.ReplaceAllLiteralString(text, want)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A build from source says so, and which release there is; a release says nothing.
func TestReleaseNote(t *testing.T) {
	for version, want := range map[string]bool{devel: true, "0.0.1-dev.gabcdef0": true, "0.1.0": false, "0.2.0-rc.1": false} {
		got := build{version: version}.releaseNote()
		if strings.HasPrefix(got, "This nbduet is built from source. ") != want || want && strings.Contains(got, "No release is published") != (published == "") {
			t.Errorf("version %s says %q", version, got)
		}
	}
}
