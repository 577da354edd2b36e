package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// update makes the test write its expected text: go test ./cmd/nbduet -run README -update.
var update = flag.Bool("update", false, "write the README's table of flags")

const (
	tableBegin = "<!-- flags:begin -->"
	tableEnd   = "<!-- flags:end -->"
)

// The README's table of flags matches their definitions.
func TestREADMETable(t *testing.T) {
	between := regexp.MustCompile(`(?s)` + tableBegin + `.*` + tableEnd)
	follows(t, "README.md", between, tableBegin+flagTable()+tableEnd, "README")
}

// follows compares the part of a file that matches a pattern with the wanted text, or writes it. test is the test's name.
func follows(t *testing.T, file string, part *regexp.Regexp, want, test string) {
	t.Helper()
	text := read(t, file)
	switch got := part.FindString(text); {
	case got == "":
		t.Errorf("%s has no part between the lines of %q", file, part)
	case got == want:
	case !*update:
		t.Errorf("%s is out of date: go test ./cmd/nbduet -run %s -update", file, test)
	default:
		if err := os.WriteFile(file, []byte(part.ReplaceAllLiteralString(text, want)), 0o644); err != nil {
			t.Fatal(err)
		}
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

// flagTable lists the flags in the order of --help, with their environment variables and defaults.
func flagTable() string {
	var b strings.Builder
	b.WriteString("\n\n| flag | environment | default | what it is |\n| --- | --- | --- | --- |\n")
	newOptions(&flags{}).VisitAll(func(f *pflag.Flag) {
		value := code(f.Annotations[options.Default]...)
		// The help has the variables and the default, which are separate columns here.
		help, _, found := strings.Cut(f.Usage, " ($")
		if found {
			help += "."
		}
		help, words, found := strings.Cut(help, " Default: ")
		if found && value == "" {
			value = strings.TrimSuffix(words, ".")
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", f.Name, code(f.Annotations[options.Env]...), value, strings.NewReplacer("|", "\\|", "*", "\\*").Replace(help))
	})
	b.WriteString("\n")
	return b.String()
}

// code formats words as code.
func code(words ...string) string {
	var set []string
	for _, w := range words {
		if w != "" {
			set = append(set, "`"+w+"`")
		}
	}
	return strings.Join(set, ", ")
}
