package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
)

// The drawings of the packages have every package of the program, and imports go down in them. That arrows.txt is true,
// TestArrows tests.
func TestDrawings(t *testing.T) {
	p, _ := readPicture(drawn)
	for file, problems := range map[string]func(picture, string) []string{
		"ARCHITECTURE.md": compareFlowchart,
		"session/doc.go":  func(p picture, text string) []string { return compareList(p, "session", text) },
		"tools/doc.go":    func(p picture, text string) []string { return compareList(p, "tools", text) },
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems(p, string(text)) {
			t.Errorf("%s: %s", file, problem)
		}
	}
}

func TestDrawingsTellWhatIsWrong(t *testing.T) {
	p, _ := readPicture("top -> top/low side\ntop/helptest -> base\ntop/low -> base\nside -> base\n# the lowest\nbase\n")
	for _, c := range []struct{ text, want string }{
		{`t["top<br>all"] --> s[side] | t --> b[base] | s --> b`, ""},
		{`t["top<br>all"] --> s[side] | s --> b[base]`, ""},
		{`t[top] --> s[side] | b[base]`, "no arrow leads from side to base, which side imports\nno arrow leads from top to base, which top/low imports"},
		{`t[top] --> s[side] | s --> b[base] | b --> t`, "the arrow from base to top is not an import"},
		{`t[top] --> b[base]`, "side is in no box"},
		{`t[top] --> s[side] | s --> b["base, gone"]`, "there is no package gone"},
	} {
		text := "```mermaid\nflowchart TD\n" + strings.ReplaceAll(c.text, " | ", "\n") + "\n```\n"
		test.EqOp(t, c.want, strings.Join(compareFlowchart(p, text), "\n"))
	}
	for _, c := range []struct{ text, want string }{
		{"top  all of it | low  the lowest", ""},
		{"top/  all of it: low", ""},
		{"low  the lowest | top  all of it", "top imports top/low, which stands above it"},
		{"top  all of it", "top/low is not in the list"},
		{"top  all of it | low  the lowest | mid  gone", "there is no package top/mid"},
	} {
		text := "// # The packages\n//\n//\t" + strings.ReplaceAll(c.text, " | ", "\n//\t") + "\n//\n// End.\n"
		test.EqOp(t, c.want, strings.Join(compareList(p, "top", text), "\n"))
	}
}

// program returns the packages of the program, those for tests aside.
func (p picture) program() []string {
	return slices.DeleteFunc(slices.Clone(p.order), forTests)
}

var (
	box  = regexp.MustCompile(`(\w+)(?:\["?([^\]"]*)"?\])?`)
	edge = regexp.MustCompile(`^(.*?)\s*-->\s*(.*)$`)
)

// compareFlowchart compares the first flowchart of a page with the imports. A box holds packages and all below them that
// have no box of their own; its label names them, with commas between, before <br>.
func compareFlowchart(p picture, page string) (problems []string) {
	_, chart, _ := strings.Cut(page, "```mermaid\nflowchart TD\n")
	chart, _, _ = strings.Cut(chart, "```")
	boxes := map[string]string{} // by package, the box
	arrows := map[string][]string{}
	read := func(text string) string {
		m := box.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return ""
		}
		label, _, _ := strings.Cut(m[2], "<br>")
		for name := range strings.SplitSeq(label, ", ") {
			switch {
			case label == "":
			case !slices.ContainsFunc(p.order, func(one string) bool { return one == name || strings.HasPrefix(one, name+"/") }):
				problems = append(problems, "there is no package "+name)
			default:
				boxes[name] = m[1]
			}
		}
		return m[1]
	}
	for line := range strings.Lines(chart) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "subgraph") || line == "end" || line == "" {
			continue
		}
		if m := edge.FindStringSubmatch(line); m != nil {
			from := read(m[1])
			arrows[from] = append(arrows[from], read(m[2]))
			continue
		}
		read(line)
	}
	boxOf := func(name string) string {
		for ; name != "."; name = path.Dir(name) {
			if b := boxes[name]; b != "" {
				return b
			}
		}
		return ""
	}
	label := map[string]string{}
	for name, b := range boxes {
		if label[b] == "" || name < label[b] {
			label[b] = name
		}
	}
	imported := map[[2]string]bool{}
	for _, name := range p.program() {
		from := boxOf(name)
		if from == "" {
			problems = append(problems, name+" is in no box")
			continue
		}
		for _, to := range p.arrows[name] {
			imported[[2]string{from, boxOf(to)}] = true
			if boxOf(to) != "" && !leads(arrows, from, boxOf(to)) {
				problems = append(problems, fmt.Sprintf("no arrow leads from %s to %s, which %s imports", label[from], label[boxOf(to)], name))
			}
		}
	}
	for from, to := range arrows {
		for _, b := range to {
			if !imported[[2]string{from, b}] && label[from] != "" && label[b] != "" {
				problems = append(problems, fmt.Sprintf("the arrow from %s to %s is not an import", label[from], label[b]))
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// leads reports whether arrows lead from one box to another.
func leads(arrows map[string][]string, from, to string) bool {
	return from == to || slices.ContainsFunc(arrows[from], func(next string) bool { return next != from && leads(arrows, next, to) })
}

// compareList compares the list in a package's documentation, under the heading "The packages", with the imports of the
// packages in a folder. A line is a package ("origin  what it is"), or a folder with the packages below it, which may
// import each other ("store/  what they are: activity, project").
func compareList(p picture, folder, text string) (problems []string) {
	_, list, _ := strings.Cut(text, "// # The packages\n")
	list, _, _ = strings.Cut(list, "\n// # ")
	at := map[string]int{} // the line of each package
	n := 0
	for line := range strings.Lines(list) {
		line, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			continue
		}
		n++
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		under, isFolder := strings.CutSuffix(name, "/")
		if under != folder {
			under = path.Join(folder, under)
		}
		if !isFolder || slices.Contains(p.order, under) {
			at[under] = n
		}
		if isFolder {
			for one := range strings.SplitSeq(rest[strings.LastIndex(rest, ": ")+1:], ", ") {
				at[path.Join(under, strings.TrimSpace(one))] = n
			}
		}
	}
	for name := range at {
		if !slices.Contains(p.order, name) {
			problems = append(problems, "there is no package "+name)
		}
	}
	for _, name := range p.program() {
		switch {
		case name != folder && !strings.HasPrefix(name, folder+"/"):
			continue
		case at[name] == 0:
			problems = append(problems, name+" is not in the list")
			continue
		}
		for _, to := range p.arrows[name] {
			if at[to] > 0 && at[to] < at[name] {
				problems = append(problems, fmt.Sprintf("%s imports %s, which stands above it", name, to))
			}
		}
	}
	slices.Sort(problems)
	return problems
}
