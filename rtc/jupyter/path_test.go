package jupyter

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestParsePath(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/": "", "a.ipynb": "a.ipynb", "/a.ipynb": "a.ipynb", "//a//b/": "a/b", "./a/./b": "a/b", ".": "",
		"a b#c%d?e/ü 😀.ipynb": "a b#c%d?e/ü 😀.ipynb", "...": "...", "a/..b": "a/..b", " a ": " a ", `a\b`: `a\b`,
		strings.Repeat("x/", 2048): strings.Repeat("x/", 2047) + "x", strings.Repeat("x", 255): strings.Repeat("x", 255),
	} {
		got, err := ParsePath(in)
		must.NoError(t, err, must.Sprint(in))
		test.Eq(t, want, got.String(), test.Sprint(in))
	}
	for in, says := range map[string]string{
		"..": `".."`, "../etc/passwd": `"../etc/passwd"`, "a/../b": `"a/../b"`, "a\x00b": "NUL", "a\xffb": "UTF-8",
		strings.Repeat("x", 4097): "4097 bytes", "a/" + strings.Repeat("x", 256): "has 256 bytes, at most 255",
	} {
		got, err := ParsePath(in)
		test.ErrorIs(t, err, ErrBadPath, test.Sprint(in, got))
		test.StrContains(t, err.Error(), says, test.Sprint(in, got))
		test.LessEq(t, 400, len(err.Error()), test.Sprint(in, got))
	}
}

// A Path that comes neither from ParsePath nor from a server's answer does not compile elsewhere: a Path has no
// exported field, and no text can be converted to it.
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

// A path derived from a path is valid again.
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

// An escaped path decodes to the same path, and no part of it is taken for a query or fragment.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"a/b", "a b#c%d?e", "é/😀", "..", "a;b,c:d@e&f=g+h$i", "/.//x", "%2F", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		clean, err := ParsePath(p)
		if err != nil {
			return
		}
		again, err := ParsePath(clean.String())
		must.NoError(t, err, must.Sprint(p))
		must.EqOp(t, clean, again, must.Sprint(p))
		u, err := url.Parse("http://h" + contentsPath(clean))
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		got := strings.TrimPrefix(strings.TrimPrefix(u.Path, "/api/contents"), "/")
		must.Eq(t, clean.String(), got)
		must.Eq(t, "", u.RawQuery)
		must.Eq(t, "", u.Fragment)
	})
}
