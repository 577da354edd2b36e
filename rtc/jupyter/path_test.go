package jupyter

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/": "", "a.ipynb": "a.ipynb", "/a.ipynb": "a.ipynb", "//a//b/": "a/b", "./a/./b": "a/b", ".": "",
		"a b#c%d?e/ü 😀.ipynb": "a b#c%d?e/ü 😀.ipynb", "...": "...", "a/..b": "a/..b", " a ": " a ", `a\b`: `a\b`,
		strings.Repeat("x/", 2048): strings.Repeat("x/", 2047) + "x", strings.Repeat("x", 255): strings.Repeat("x", 255),
	} {
		got, err := ParsePath(in)
		if err != nil || got.String() != want {
			t.Errorf("ParsePath(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for in, says := range map[string]string{
		"..": `".."`, "../etc/passwd": `"../etc/passwd"`, "a/../b": `"a/../b"`, "a\x00b": "NUL", "a\xffb": "UTF-8",
		strings.Repeat("x", 4097): "4097 bytes", "a/" + strings.Repeat("x", 256): "has 256 bytes, at most 255",
	} {
		got, err := ParsePath(in)
		if !errors.Is(err, ErrBadPath) || !strings.Contains(err.Error(), says) || len(err.Error()) > 400 {
			t.Errorf("ParsePath(%q) = %q, %v, want ErrBadPath saying %s", in, got, err, says)
		}
	}
}

// A path that was not made of what a caller wrote, or of an answer of the server's, does not compile elsewhere: a Path has
// nothing that another package can set, and no text is one.
func TestPathsAreMadeHere(t *testing.T) {
	typ := reflect.TypeFor[Path]()
	if typ.Kind() != reflect.Struct {
		t.Fatalf("a Path is a %s: a text can be converted to it", typ.Kind())
	}
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() {
			t.Errorf("another package can set %s", f.Name)
		}
	}
}

// What is derived from a path is a path again.
func TestPathsOfPaths(t *testing.T) {
	p := MustPath("work/old/a.tar.gz")
	for what, c := range map[string]struct{ got, want string }{
		"its name":               {p.Name(), "a.tar.gz"},
		"its extension":          {p.Ext(), ".gz"},
		"its folder":             {p.Folder().String(), "work/old"},
		"the folder of one name": {MustPath("a").Folder().String(), ""},
		"the folder of the root": {Path{}.Folder().String(), ""},
		"a file in its folder":   {p.Folder().Join("b").String(), "work/old/b"},
		"a file in the root":     {Path{}.Join("b").String(), "b"},
		"with its folder moved":  {p.Moved(MustPath("work"), MustPath("done/x")).String(), "done/x/old/a.tar.gz"},
		"moved itself":           {p.Moved(p, MustPath("b")).String(), "b"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", what, c.got, c.want)
		}
	}
	for folder, want := range map[string]bool{"": true, "work": true, "work/old": true, "work/old/a.tar.gz": true, "work/o": false, "w": false, "work/old/a.tar.gz/x": false} {
		if got := p.Under(MustPath(folder)); got != want {
			t.Errorf("under %q: %v", folder, got)
		}
	}
}

// What is escaped is one path again after decoding, and nothing of it is taken for a query or fragment.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"a/b", "a b#c%d?e", "é/😀", "..", "a;b,c:d@e&f=g+h$i", "/.//x", "%2F", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		clean, err := ParsePath(p)
		if err != nil {
			return
		}
		if again, err := ParsePath(clean.String()); err != nil || again != clean {
			t.Fatalf("%q cleaned is %q, and that cleaned %q, %v", p, clean, again, err)
		}
		u, err := url.Parse("http://h" + contentsPath(clean))
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		if got := strings.TrimPrefix(strings.TrimPrefix(u.Path, "/api/contents"), "/"); got != clean.String() || u.RawQuery != "" || u.Fragment != "" {
			t.Fatalf("%q became %q", clean, u)
		}
	})
}
