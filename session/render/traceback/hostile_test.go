package traceback_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/render/traceback"
)

// For any input, the text is made in time that is at most linear in its size.
func TestHostile(t *testing.T) {
	const many = 10_000
	again := "v" + strings.Repeat("\nN: v", many)
	for name, s := range map[string]struct {
		name, value string
		lines       []string
	}{
		"a value that is almost everywhere":  {"N", again + "\nend", []string{"N: " + again + again}},
		"a line without end":                 {"N", "v", []string{"Cell In[1], line 1, in f(" + strings.Repeat("(", 1_000_000)}},
		"nothing but headers":                {"N", "v", []string{strings.Repeat("Cell In[1], line 1\n", many)}},
		"nothing but exceptions":             {"N", "v", []string{strings.Repeat("During handling of the above exception, another exception occurred:\n", many)}},
		"nothing but skipped frames":         {"N", "v", []string{"Cell In[1], line 1\n" + strings.Repeat("[... skipping similar frames: f at line 2 (99999999999999999999 times)]\n", many)}},
		"nothing but escapes":                {"N", "v", []string{strings.Repeat("\x1b[", 200_000)}},
		"nothing but line ends":              {"N", strings.Repeat("\r\n", many), []string{strings.Repeat("\r", many)}},
		"an arrow far beyond the code":       {"N", "v", []string{"  Cell In[1], line 1\n    x\n" + strings.Repeat(" ", 200_000) + "^\nN: v"}},
		"a number beyond numbers, no header": {"N", "v", []string{"----> " + strings.Repeat("9", 200_000) + " x"}},
	} {
		text, _ := traceback.Short(s.name, s.value, s.lines)
		if size := len(s.value) + 8_000; len(text) > size && !strings.Contains(name, "escapes") {
			t.Errorf("%s became %d bytes", name, len(text))
		}
	}
}

// No error output makes a panic or invalid text, and the text begins with the name.
func FuzzShort(f *testing.F) {
	for _, file := range []string{"ipython9.json", "ipython7.json"} {
		for _, s := range samples(f, file) {
			f.Add(s.Ename, s.Evalue, strings.Join(s.Traceback, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, name, value, lines string) {
		text, _ := traceback.Short(name, value, []string{lines})
		if !utf8.ValidString(text) {
			t.Errorf("%q is not valid", text)
		}
		if name == "E" && value != "" && !strings.HasPrefix(text, "E") {
			t.Errorf("%q does not begin with the name", text)
		}
	})
}
