package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The picture of which package imports which.
//
//go:embed arrows.txt
var drawn string

// The imports between the packages of the program are those of arrows.txt, and go down its list only. Imports of tests
// are not asked about.
func TestArrows(t *testing.T) {
	p, problems := readPicture(drawn)
	list := exec.Command("go", "list", "-f", `{{.Module.Path}} {{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir = "../../.."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, problem := range append(problems, p.compare(imports(string(out)))...) {
		t.Errorf("e2e/cmd/walls/arrows.txt: %s", problem)
	}
}

func TestPictureTellsWhatIsWrong(t *testing.T) {
	code := map[string][]string{"top": {"middle", "bottom"}, "middle": {"bottom"}, "bottom": nil}
	for _, c := range []struct{ picture, want string }{
		{"# all is well | top -> middle bottom | middle -> bottom |  | bottom # lowest", ""},
		{
			"top -> middle | middle -> bottom | bottom",
			"top imports bottom, which the picture does not allow: take the import away, or draw it: top -> middle bottom",
		},
		{
			"top -> middle bottom | middle -> bottom | bottom | last -> bottom",
			"last imports bottom, which does not stand below it: move one of the lines\nthere is no package last: take its line away",
		},
		{
			"top -> middle bottom | bottom",
			"top imports middle, which has no line: give it one\nmiddle has no line: give it one above all that it imports: middle -> bottom",
		},
		{
			"top -> middle bottom lowest | middle -> bottom | bottom | lowest",
			"top does not import lowest: take the arrow away: top -> middle bottom\nthere is no package lowest: take its line away",
		},
		{"top -> middle bottom | middle -> bottom | bottom | top", "top has two lines: take one away"},
		{"top middle bottom | middle -> bottom | bottom", "no line of a package: top middle bottom\n" +
			"top has no line: give it one above all that it imports: top -> middle bottom"},
	} {
		p, problems := readPicture(strings.ReplaceAll(c.picture, " | ", "\n"))
		if have := strings.Join(append(problems, p.compare(code)...), "\n"); have != c.want {
			t.Errorf("%q:\nhave %s\nwant %s", c.picture, have, c.want)
		}
	}
}

// A picture is a list of packages, each with those that it may import.
type picture struct {
	order  []string
	arrows map[string][]string
}

// readPicture reads lines such as "tools/serve -> tools session", and tells what is wrong with the picture by itself.
func readPicture(text string) (p picture, problems []string) {
	p.arrows = map[string][]string{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		name, to, _ := strings.Cut(strings.TrimSpace(line), "->")
		name = strings.TrimSpace(name)
		_, twice := p.arrows[name]
		switch {
		case name == "":
		case strings.Contains(name, " "):
			problems = append(problems, "no line of a package: "+name)
		case twice:
			problems = append(problems, name+" has two lines: take one away")
		default:
			p.order = append(p.order, name)
			p.arrows[name] = strings.Fields(to)
		}
	}
	for i, name := range p.order {
		for _, to := range p.arrows[name] {
			switch at := slices.Index(p.order, to); {
			case at < 0:
				problems = append(problems, fmt.Sprintf("%s imports %s, which has no line: give it one", name, to))
			case at <= i:
				problems = append(problems, fmt.Sprintf("%s imports %s, which does not stand below it: move one of the lines", name, to))
			}
		}
	}
	return p, problems
}

// compare tells where the picture and the imports of the code differ.
func (p picture) compare(code map[string][]string) (problems []string) {
	for name, imported := range code {
		allowed, ok := p.arrows[name]
		if !ok {
			problems = append(problems, fmt.Sprintf("%s has no line: give it one above all that it imports: %s", name, p.line(name, imported)))
			continue
		}
		for _, to := range imported {
			if !slices.Contains(allowed, to) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which the picture does not allow: "+
					"take the import away, or draw it: %s", name, to, p.line(name, imported)))
			}
		}
		for _, to := range allowed {
			if !slices.Contains(imported, to) {
				problems = append(problems, fmt.Sprintf("%s does not import %s: take the arrow away: %s", name, to, p.line(name, imported)))
			}
		}
	}
	slices.Sort(problems)
	for _, name := range p.order {
		if _, ok := code[name]; !ok {
			problems = append(problems, fmt.Sprintf("there is no package %s: take its line away", name))
		}
	}
	return problems
}

// line is what the picture would say of a package, what it imports in the order of the picture.
func (p picture) line(name string, imported []string) string {
	if len(imported) == 0 {
		return name
	}
	sorted := slices.Clone(imported)
	slices.SortStableFunc(sorted, func(a, b string) int { return slices.Index(p.order, a) - slices.Index(p.order, b) })
	return name + " -> " + strings.Join(sorted, " ")
}

// imports reads what go list prints: on each line the module, a package of it, and what that imports. It leaves out the
// imports of other modules' packages.
func imports(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		module := fields[0] + "/"
		var to []string
		for _, path := range fields[2:] {
			if name, ours := strings.CutPrefix(path, module); ours {
				to = append(to, name)
			}
		}
		out[strings.TrimPrefix(fields[1], module)] = to
	}
	return out
}
