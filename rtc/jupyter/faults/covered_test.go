package faults_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// Every fault in the table occurs in a test.
func TestEachIsMet(t *testing.T) {
	list, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, pattern := range []string{"../*_test.go", "../cacerts/*_test.go", "../../../cmd/nbduet/*_test.go", "../../../e2e/program/*_test.go"} {
		files, err := filepath.Glob(pattern)
		must.NoError(t, err, must.Sprint(pattern))
		must.SliceNotEmpty(t, files, must.Sprint(pattern))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	for _, name := range regexp.MustCompile(`(?m)^\t(\w+) +Code = "`).FindAllStringSubmatch(string(list), -1) {
		if !regexp.MustCompile(`faults\.` + name[1] + `\b`).MatchString(tests.String()) {
			t.Errorf("no test meets %s", name[1])
		}
	}
}
