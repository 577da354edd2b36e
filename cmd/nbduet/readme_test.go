package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// update makes the test write what it compares with: go test ./cmd/nbduet -run README -update.
var update = flag.Bool("update", false, "write the README's table of flags")

const (
	tableBegin = "<!-- flags:begin -->"
	tableEnd   = "<!-- flags:end -->"
)

// The README's table of flags is the one that their definitions make.
func TestREADMETable(t *testing.T) {
	const file = "README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), tableBegin)
	old, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no lines %q and %q for the table of flags to stand between", file, tableBegin, tableEnd)
	}
	table := flagTable()
	if old == table {
		return
	}
	if !*update {
		t.Fatalf("the table of flags in %s is out of date: go test ./cmd/nbduet -run README -update", file)
	}
	if err := os.WriteFile(file, []byte(head+tableBegin+table+tableEnd+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// flagTable lists the flags in the order of --help, with the variables that stand for them and what they are by
// default.
func flagTable() string {
	var b strings.Builder
	b.WriteString("\n\n| flag | environment | default | what it is |\n| --- | --- | --- | --- |\n")
	newOptions(&flags{}).VisitAll(func(f *pflag.Flag) {
		value := code(f.Annotations[options.Default]...)
		// The help says the variables and the default, which have columns of their own here.
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

// code sets words as code.
func code(words ...string) string {
	var set []string
	for _, w := range words {
		if w != "" {
			set = append(set, "`"+w+"`")
		}
	}
	return strings.Join(set, ", ")
}
