package site_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

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
		isRun(t, tests, command, readmeCommands[command])
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

// pageBlocks are the commands and configurations of the other pages: for each code block, in the page's order, its
// language and the tests that run it or, if the tests' machines cannot run it, the reason in parentheses.
var pageBlocks = map[string][]string{
	"CONTRIBUTING.md": {"sh TestFromClone TestWheelInstalls TestArchive"},
	"cmd/jupyter-extension/README.md": {
		"sh TestInsideJupyter", "sh TestClaudeCodeReadsPages", "json TestClaudeCodeReadsPages", "python TestInsideJupyter",
	},
	"cmd/nbduet/README.md": {"sh TestTwoServers", "sh TestClientsOverHTTP TestClaudeCodeReadsPages"},
	"docs/behind-a-proxy.md": {
		"sh TestBehindProxies", "nginx TestBehindProxies", "caddy TestBehindProxies", "sh TestBehindProxies",
	},
	"docs/jupyterhub.md": {
		"json TestOnYourMachine", "python TestOnYourMachine", "sh TestInEachServer", "json TestInEachServer",
		"python TestInEachServer", "python TestAsService", "json TestAsService", "python TestAsService", "ini TestAsService",
	},
	"docs/kernels-elsewhere.md": {
		"sh TestWorks", "sh TestWorks", "sh TestWorks", "sh TestWorks",
	},
	"e2e/README.md": {"sh (the Makefile runs the same commands)"},
	"packaging/README.md": {
		"sh (needs a signed release)", "sh (needs the published image; TestDockerfile checks its parts)",
	},
	"packaging/npm/nbduet/README.md":         {"sh TestNPX"},
	"packaging/python/nbduet/README.md":      {"sh TestWheelInstalls", "json TestWheelInstalls"},
	"session/render/images/raster/README.md": {"sh (needs Rust)"},
	"tools/README.md":                        {"yaml TestContextResources", "sh TestClaudeCodeReadsPages"},
}

// anyBlock matches a code block; its groups are the language and the content.
var anyBlock = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// A test runs each command and uses each configuration of the pages, and each target of make that a page names exists.
func TestPageCommands(t *testing.T) {
	const root = "../.."
	pages, err := findPages(root)
	must.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	must.NoError(t, err)
	var targets []string
	for _, rule := range makeRule.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, strings.Fields(rule[1])...)
	}
	tests := testNames(t)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must.NoError(t, err)
		name, err := filepath.Rel(root, page)
		must.NoError(t, err)
		for _, target := range makeTarget.FindAllStringSubmatch(string(text), -1) {
			test.SliceContains(t, targets, target[1], test.Sprint(name))
		}
		if name == "README.md" {
			continue
		}
		var blocks []string
		for _, block := range anyBlock.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains([]string{"text", "mermaid", "go"}, block[1]) {
				blocks = append(blocks, block[1])
			}
		}
		var want []string
		for _, row := range pageBlocks[filepath.ToSlash(name)] {
			language, by, _ := strings.Cut(row, " ")
			want = append(want, language)
			if strings.HasPrefix(by, "(") {
				continue
			}
			for one := range strings.FieldsSeq(by) {
				isRun(t, tests, name, one)
			}
		}
		test.Eq(t, want, blocks, test.Sprint(name))
	}
}

var (
	// makeTarget matches a command of make in a page, makeRule the targets of a rule in the Makefile.
	makeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z0-9-]+)")
	makeRule   = regexp.MustCompile(`(?m)^([a-z][a-z0-9 -]*):[^=]`)
)

// isRun checks that the test named by a row exists, or that the row has a reason instead.
func isRun(t *testing.T, tests map[string]bool, command, by string) {
	t.Helper()
	if !strings.HasPrefix(by, "(") {
		test.MapContainsKey(t, tests, by, test.Sprint(command))
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
