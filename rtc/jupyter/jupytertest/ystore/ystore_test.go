package ystore

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A store is prepared with pycrdt's tables; without that package nothing is prepared.
func TestPrepare(t *testing.T) {
	// A Python without the package makes no store, like this program.
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "python"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	venv, err := filepath.Abs("../../../../.venv/bin/jupyter")
	if err != nil {
		t.Fatal(err)
	}
	for program, tables := range map[string]bool{filepath.Join(folder, "jupyter"): false, venv: true} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(program), "python")); err != nil {
			t.Logf("%s: run `make venv`", program)
			continue
		}
		to := t.TempDir()
		if err := Prepare(program, to); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(to, name))
		if made := err == nil && bytes.Contains(b, []byte("CREATE TABLE ycheckpoints")); made != tables {
			t.Errorf("%s: a store was made: %v, %v", program, made, err)
		}
	}
}
