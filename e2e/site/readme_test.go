package site_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
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

// readmeCommands are the commands of the README, each with the tests that run it or, if the tests' machines cannot run
// it, the reason in parentheses.
var readmeCommands = map[string]string{
	"git clone https://github.com/nbduet/nbduet && cd nbduet": "TestFromClone", // copies the files
	"make up":                          "TestFromClone",
	"make test":                        "(.ci/run runs the same targets: see TestGateIsTest)",
	"make demo":                        "TestDemo",
	"make up NOTEBOOK=path":            "TestNotebook",
	"make build":                       "TestFromClone",
	"make wheel":                       "TestWheelInstalls",
	"make bench":                       "TestComparison",
	"make help":                        "TestGateIsTest",
	"bin/nbduet config CLIENT --write": "TestFromClone",
	"bin/nbduet doctor":                "TestFromNothing",
	"uvx nbduet":                       "TestWheelInstalls",
	"pip install nbduet":               "TestWheelInstalls",
	"nbduet":                           "TestWheelInstalls",
	"npx -y nbduet":                    "TestNPX",
	"go install github.com/nbduet/nbduet/cmd/nbduet@latest": "TestGoInstall",
	"brew install --cask nbduet/tap/nbduet":                 "(needs Homebrew and its tap)",
	"apt install ./nbduet_…_amd64.deb":                      "TestDeb",
	"dnf install ./nbduet-…-1.x86_64.rpm":                   "TestRPM",
	"docker run -i --rm --network host -e NBDUET_TRANSPORT=stdio -e JUPYTER_SERVER_URL -e JUPYTER_TOKEN ghcr.io/nbduet/nbduet": "TestDockerfile",
	"claude mcp add nbduet -- uvx nbduet":   "TestClaudeCodeReadsConfig",
	"/plugin marketplace add nbduet/nbduet": "TestPlugin",
	"/plugin install nbduet@nbduet":         "TestPlugin",
	"nbduet-….mcpb":                         "TestBundle",
}

var (
	shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	testHead   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	// isCommand matches commands, as opposed to names of flags, tools and files.
	isCommand = regexp.MustCompile(`^(git|make|bin/nbduet|uvx|pip|npx|go|brew|apt|dnf|docker|claude|/plugin|nbduet)( |$)|\.mcpb$`)
)

// A test runs each command of the README. Its configuration is run by TestReadmeConfiguration.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	must.NoError(t, err)
	tests := testNames(t)
	found := map[string]bool{}
	for _, block := range shellBlock.FindAllStringSubmatch(string(readme), -1) {
		for line := range strings.Lines(block[1]) {
			command, _, _ := strings.Cut(line, "#")
			found[strings.TrimSpace(command)] = true
		}
	}
	for _, code := range inlineCode.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(readme), ""), -1) {
		if isCommand.MatchString(code[1]) {
			found[code[1]] = true
		}
	}
	for command := range found {
		by := readmeCommands[command]
		test.NotEq(t, "", by, test.Sprint(command))
		test.False(t, !strings.HasPrefix(by, "(") && !tests[by], test.Sprint(command))
	}
	for command := range readmeCommands {
		if !found[command] {
			t.Errorf("the README no longer has the command %q", command)
		}
	}
	if lines := strings.Count(string(readme), "\n"); lines > 150 {
		t.Errorf("the README has %d lines, at most 150", lines)
	}
}

// testNames returns the names of all tests of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, dir := range []string{"..", "../../cmd"} {
		must.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range testHead.FindAllStringSubmatch(string(text), -1) {
				names[m[1]] = true
			}
			return err
		}))
	}
	return names
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
