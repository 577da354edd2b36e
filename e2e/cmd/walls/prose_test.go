package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestPhrasesOnlyFall(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":            "// Package a tells whether\n// there is no longer\n// a b of its own.\npackage a\n\nconst s = `what is\nno name, and nobody`\n",
		"a_test.go":       "package a\n\nvar _ = \"it is told of it\" // whoever asks\n",
		"e2e/b.go":        "package b // those who ask\n",
		"README.md":       "It is no text.\n\n```\nnobody\n```\n",
		"testdata/c.md":   "whoever\n",
		"rtctest/fake.go": "package fake // it does what it is\n",
	} {
		must.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got, err := countPhrases(dir)
	must.NoError(t, err)
	test.Eq(t, map[string]int{
		"program tells whether": 1, "program of ours": 1, "program what as a noun": 1, "program nobody, somebody": 1, "program is no": 1,
		"tests told of": 1, "tests whoever": 1, "tests those who": 1, "tests what as a noun": 1,
	}, got)

	file := filepath.Join(dir, "prose.txt")
	must.NoError(t, os.WriteFile(file, []byte("program of ours 2\ntests whoever 1\n"), 0o600))
	var out strings.Builder
	test.ErrorIs(t, checkProse(&out, dir, file), errOver)
	test.StrContains(t, out.String(), "program of ours: 1 times, fewer than 2: write that down in "+file)
	test.StrContains(t, out.String(), "program is no: 1 times, at most 0: say it in plain English")
	test.StrNotContains(t, out.String(), "tests whoever")
}
