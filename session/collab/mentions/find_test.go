package mentions

import (
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var duet = []Name{{Text: "Duet"}, {Text: "Claude Code", Client: "c-1"}}

// Calls are found where people write to others: in the text of Markdown, and in the comments of code.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		typ, source string
		says        []string
	}{
		{"markdown", "@Duet fix the axis", []string{"fix the axis"}},
		{"markdown", "so, @duet: fix the axis.\nThanks", []string{"fix the axis."}},
		{"markdown", "# Title\n\n@Duet one\n@Duet two", []string{"one", "two"}},
		{"markdown", "@Claude-Code fix it, @Claude Code", []string{"fix it, @Claude Code"}},
		{"markdown", "@Claude Code fix it", []string{"fix it"}},
		{"markdown", "<!-- @Duet fix it -->", []string{"fix it"}},
		{"markdown", "@Duet", []string{""}},
		{"markdown", "@Duet überprüfe `a@b.c`", []string{"überprüfe `a@b.c`"}},
		{"markdown", "* @Duet one\n    * @Duet two", []string{"one", "two"}},
		{"markdown", "me@Duet.org, @Duetto, @Duet-like, @Duet_x, @Duet.org", nil},
		{"markdown", "> @Duet quoted\n`@Duet code`\n```\n@Duet fenced\n```\n~~~~\n@Duet\n~~~\n@Duet\n~~~~", nil},
		{"markdown", "````\n```\n@Duet\n````\n@Duet yes", []string{"yes"}},
		{"raw", "@Duet fix it", nil},
		{"code", "@Duet\ndef f(): pass", nil},
		{"code", "x = 1  # @Duet why 1?\n# see @Duet: too", []string{"why 1?", "too"}},
		{"code", "x = '# @Duet no'\ny = \"# @Duet no\" # @Duet yes", []string{"yes"}},
		{"code", "'''\n# @Duet no\n'''\nf'# @Duet no'\nA' # @Duet yes", []string{"yes"}},
		{"code", "s = \"\\\"# @Duet no\"; t = 'it\\'s # @Duet no'", nil},
		{"code", "x := 1 // @Duet go\nSELECT 1 -- @Duet sql\n% @Duet tex", []string{"go", "sql", "tex"}},
		{"code", "'open\n# @Duet yes", []string{"yes"}},
	} {
		var says []string
		for _, found := range findIn(c.typ, c.source, duet) {
			says = append(says, found.says)
		}
		if !slices.Equal(says, c.says) {
			t.Errorf("%s %q calls with %q, want %q", c.typ, c.source, says, c.says)
		}
	}
}

// Languages have their own comments.
func TestSpeaks(t *testing.T) {
	for language, markers := range map[string][]string{
		"python": {"#"}, "R": {"#"}, "": {"#", "//"}, "sql": {"--"}, "scala": {"//"}, "matlab": {"#", "%"}, "scheme": {";"}, "php": {"#", "//"},
	} {
		var speak []string
		for _, m := range markers {
			if speaks(language, m) {
				speak = append(speak, m)
			}
		}
		if !slices.Equal(speak, markers) {
			t.Errorf("%q speaks %q, want %q", language, speak, markers)
		}
		test.False(t, speaks("python", "//"), test.Sprint("a marker of another language begins a comment"))
		test.False(t, speaks("sql", "#"), test.Sprint("a marker of another language begins a comment"))
	}
}

// The name determines which clients are called.
func TestClientsOf(t *testing.T) {
	names := append(duet, Name{Text: "claude code", Client: "c-2"})
	for name, want := range map[string][]string{"Duet": nil, "Claude Code": {"c-1", "c-2"}} {
		if got := clientsOf(name, names); !slices.Equal(got, want) {
			t.Errorf("%s are %q, want %q", name, got, want)
		}
	}
}

// A command is a whole sentence.
func TestCommandOf(t *testing.T) {
	for says, want := range map[string]Command{
		"hands off": HandsOff, "Hands off!": HandsOff, "hands off this cell, please": NoCommand, "hands off this cell please": HandsOff,
		"hands off this notebook.": HandsOffNotebook, "go on": GoOn, "Go  on.": GoOn,
		"go on with the axis": NoCommand, "hands off is what I said": NoCommand, "": NoCommand,
	} {
		if got := commandOf(says); got != want {
			t.Errorf("%q is command %d, want %d", says, got, want)
		}
	}
}

// For any cell content, finding does not fail, and a call lies within the content.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"@Duet a", "# @Duet\n'", "`@Duet", "```\n@Duet", "\"\"\"@Duet#", "@Dİet @Duet", "é@Duet"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, typ := range []string{"markdown", "code"} {
			last := 0
			for _, c := range findIn(typ, s, duet) {
				must.GreaterEq(t, last, c.from, must.Sprint(typ))
				must.GreaterEq(t, c.from, c.to, must.Sprint(typ))
				must.LessEq(t, len(s), c.to, must.Sprint(typ))
				must.Eq(t, '@', s[c.from], must.Sprint(typ))
				last = c.to
			}
		}
	})
}
