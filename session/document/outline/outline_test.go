package outline_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/document/outline"
)

// Headings have their line and level, except in fenced code.
func TestHeadings(t *testing.T) {
	got := outline.Headings("# One\ntext\n  ## Two ##\n```python\n# a comment\n~~~\n```\n#no heading\n#### Four")
	test.Eq(t, []outline.Heading{{0, 1, "One"}, {2, 2, "Two"}, {8, 4, "Four"}}, got)
	test.Nil(t, outline.Headings("text"))
}

// The names that code defines are those at the beginning of a line.
func TestDefines(t *testing.T) {
	for source, want := range map[string][]string{
		"import os\ndef load(path):\n    x = 1\nasync def run(): pass": {"load()", "run()"},
		"class Model(Base):\n    rate = 0.1":                           {"Model"},
		"a, b = 1, 2\na = 3\nif a == b: pass":                          {"a", "b"},
		"n: int = 3\ndf.x = 1\nf(x=1)\nx += 1":                         {"n"},
		"model <- lm(y ~ x)\nstruct Point\nend":                        {"model", "Point"},
		"print(1)":                                                     nil,
	} {
		test.Eq(t, want, outline.Defines(source), test.Sprint(source))
	}
}
