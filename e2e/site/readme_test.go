package site_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

var (
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Each link between the pages of the repository leads to an existing file or heading.
func TestPagesLead(t *testing.T) {
	pages, err := findPages("../..")
	must.NoError(t, err)
	if len(pages) < 5 {
		t.Fatalf("the pages are %q", pages)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must.NoError(t, err)
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

// .ci/run runs everything that make test runs.
func TestGateIsTest(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	must.NoError(t, err)
	for _, want := range []string{"test: gate", "\n\t@$(RUN) -meanwhile environments $(GATE)\n", "\n\t@$(RUN) -meanwhile environments lint $(GATE)\n"} {
		if !strings.Contains(string(makefile), want) {
			t.Errorf("the Makefile has no %q", want)
		}
	}
	out, err := exec.CommandContext(t.Context(), "make", "-C", "../..", "help").Output()
	must.NoError(t, err)
	for _, target := range []string{"make up ", "make demo ", "make test "} {
		if !strings.Contains(string(out), "\n"+target) {
			t.Errorf("make help does not list %q", target)
		}
	}
}

// findPages lists the Markdown pages named README.md below a folder, and those in the folder itself and in its docs.
func findPages(root string) ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		return nil, err
	}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	pages = append(pages, docs...)
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

// hasHeading reports whether a page has a heading with this anchor on its host.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	must.NoError(t, err)
	for _, m := range pageHeading.FindAllStringSubmatch(string(text), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}
