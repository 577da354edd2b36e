package jupyter

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/": "", "a.ipynb": "a.ipynb", "/a.ipynb": "a.ipynb", "//a//b/": "a/b", "./a/./b": "a/b", ".": "",
		"a b#c%d?e/ü 😀.ipynb": "a b#c%d?e/ü 😀.ipynb", "...": "...", "a/..b": "a/..b", " a ": " a ", `a\b`: `a\b`,
		strings.Repeat("x/", 2048): strings.Repeat("x/", 2047) + "x", strings.Repeat("x", 255): strings.Repeat("x", 255),
	} {
		got, err := CleanPath(in)
		if err != nil || got != want {
			t.Errorf("CleanPath(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for in, says := range map[string]string{
		"..": `".."`, "../etc/passwd": `"../etc/passwd"`, "a/../b": `"a/../b"`, "a\x00b": "NUL", "a\xffb": "UTF-8",
		strings.Repeat("x", 4097): "4097 bytes", "a/" + strings.Repeat("x", 256): "has 256 bytes, at most 255",
	} {
		got, err := CleanPath(in)
		if !errors.Is(err, ErrBadPath) || !strings.Contains(err.Error(), says) || len(err.Error()) > 400 {
			t.Errorf("CleanPath(%q) = %q, %v, want ErrBadPath saying %s", in, got, err, says)
		}
	}
}

// What is escaped is one path again after decoding, and nothing of it is taken for a query or fragment.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"a/b", "a b#c%d?e", "é/😀", "..", "a;b,c:d@e&f=g+h$i", "/.//x", "%2F", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		clean, err := CleanPath(p)
		if err != nil {
			return
		}
		if again, err := CleanPath(clean); err != nil || again != clean {
			t.Fatalf("%q cleaned is %q, and that cleaned %q, %v", p, clean, again, err)
		}
		u, err := url.Parse("http://h" + contentsPath(clean))
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		if got := strings.TrimPrefix(strings.TrimPrefix(u.Path, "/api/contents"), "/"); got != clean || u.RawQuery != "" || u.Fragment != "" {
			t.Fatalf("%q became %q", clean, u)
		}
	})
}
