package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// counted is a test with four assertions and three || in them; those of other code, and in functions within an assertion,
// do not count.
const counted = `package a

func TestA(t *testing.T) {
	if a || b || c {
		t.Errorf("a")
	}
	if a || b {
		return
	}
	must.Eq(t, 1, a)
	test.True(t, a || b)
	test.EqOp[any](t, 1, find(func(n int) bool { return a || b }))
}
`

func TestCountAsserts(t *testing.T) {
	dir := t.TempDir()
	must.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "testdata"), 0o700))
	for _, name := range []string{"a/a_test.go", "a/testdata/b_test.go", "a/c.go"} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(counted), 0o600))
	}
	got, err := countAsserts(dir)
	must.NoError(t, err)
	test.Eq(t, map[string]asserts{"a": {Asserts: 4, Ors: 3}}, got)
}

func TestAssertsOnlyFall(t *testing.T) {
	dir := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(counted), 0o600))
	file := filepath.Join(dir, "asserts.txt")
	for text, says := range map[string]string{
		"# few\n. 3\n": "",
		". 2":          ".: 3 || in assertions, at most 2: assert one fact a line\n",
		"":             "at most 0",
		". 4":          ".: 3 || in assertions, fewer than 4: write that down in ",
		". 3\ngone 1":  "gone: 0 || in assertions, fewer than 1",
	} {
		must.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var out strings.Builder
		err := checkAsserts(&out, dir, file)
		if says == "" {
			test.NoError(t, err)
			test.Eq(t, "4 assertions, 0.750 || in each\n", out.String())
			continue
		}
		test.ErrorIs(t, err, errOver)
		test.StrContains(t, out.String(), says)
	}
	must.NoError(t, os.WriteFile(file, []byte("a few"), 0o600))
	test.ErrorContains(t, checkAsserts(&strings.Builder{}, dir, file), `asserts.txt:1: want a name and a number, have "a few"`)
}
