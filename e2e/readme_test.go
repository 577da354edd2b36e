package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Each link between the pages of the repository leads to a file or a heading that is there.
func TestPagesLead(t *testing.T) {
	pages, err := findPages("..")
	must(t, err)
	if len(pages) < 5 {
		t.Fatalf("the pages are %q", pages)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, m := range pageLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			target := filepath.Join(filepath.Dir(page), file)
			if file == "" {
				target = page
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if heading != "" && !hasHeading(t, target, heading) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
}

// findPages lists the Markdown pages named README.md below a folder, and those in the folder itself.
func findPages(root string) ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.Name() == "README.md" && filepath.Dir(path) != root:
			pages = append(pages, path)
		}
		return nil
	})
	return pages, err
}

// hasHeading reports whether a page has a heading that its host would give this anchor.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	for _, m := range pageHeading.FindAllStringSubmatch(string(text), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}
