package images

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"github.com/tetratelabs/wazero"
)

// addition is a program with one function that adds two numbers.
var addition = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f" + // a type: two numbers make one
	"\x03\x02\x01\x00" + // a function of it
	"\x07\x07\x01\x03add\x00\x00" + // its name
	"\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b") // its code

// A compilation is kept for the next process; if it cannot be stored, or is broken, the program is compiled again.
func TestCompiledIsKept(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("HOME", home)
	works := func(when string) {
		t.Helper()
		c, err := load(addition)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer c.runtime.Close(t.Context())
		m, err := c.runtime.InstantiateModule(t.Context(), c.module, wazero.NewModuleConfig())
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		sum, err := m.ExportedFunction("add").Call(t.Context(), 2, 3)
		must.NoError(t, err, must.Sprint(when))
		test.Eq(t, 5, sum[0], test.Sprint(when))
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (paths []string) {
		paths, _ = filepath.Glob(filepath.Join(dir, "nbduet", "*", "*", "*"))
		return paths
	}
	works("the first time")
	files := kept()
	if len(files) != 1 {
		t.Fatalf("kept: %q, want one file", files)
	}
	first, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if first.Mode().Perm() != 0o600 {
		t.Errorf("others may do something with it: %s", first.Mode())
	}
	works("the second time")
	again, err := os.Stat(files[0])
	must.NoError(t, err, must.Sprint("compiled again"))
	test.True(t, os.SameFile(first, again), test.Sprint("compiled again"))
	test.SliceLen(t, 1, kept(), test.Sprint("compiled again"))
	if err := os.Truncate(files[0], first.Size()/2); err != nil {
		t.Fatal(err)
	}
	works("from half a file")
	if err := os.WriteFile(files[0], []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	works("from a file with something else")
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "nbduet"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "nbduet"), 0o777); err != nil {
		t.Fatal(err)
	}
	works("in a folder of everybody's")
	if files := kept(); len(files) > 0 {
		t.Errorf("kept where everybody may write: %q", files)
	}
}

// Another version of wazero must not find this one's compilations.
func TestVersionOfTheCompiler(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/tetratelabs/wazero " + wazeroVersion; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not have %s", want)
	}
}
