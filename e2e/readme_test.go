package e2e_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The README names each flag that the program has.
func TestReadmeNamesFlags(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	must(t, err)
	_, help, _ := once(t, agentEnv(), "--help")
	flags := regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(help, -1)
	if len(flags) == 0 {
		t.Fatalf("--help names no flags:\n%s", help)
	}
	for _, flag := range flags {
		if !strings.Contains(string(readme), "`"+flag+"`") {
			t.Errorf("the README does not name %s", flag)
		}
	}
}
