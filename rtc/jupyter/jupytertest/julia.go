package jupytertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// WithJulia gives a server the kernelspec "julia", of a test kernel around a real Julia: the one in .cache/julia, or
// the program NBDUET_JULIA. The test fails if it is missing.
func WithJulia(t testing.TB) Option {
	t.Helper()
	NeedsReal(t, "a kernel of Julia")
	julia := installed(t, "NBDUET_JULIA", "julia/julia", "", "no Julia: run `make julia`, or name one with NBDUET_JULIA")
	program, err := findJupyter(config{})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(map[string]any{
		"argv":         []string{filepath.Join(filepath.Dir(program), "python3"), filepath.Join(repository(), "e2e", "python", "julia_kernel.py"), "-f", "{connection_file}"},
		"display_name": "Julia", "language": "julia", "env": map[string]string{"NBDUET_JULIA": julia},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "kernels", "julia")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kernel.json"), spec, 0o600); err != nil {
		t.Fatal(err)
	}
	return WithEnv("JUPYTER_PATH=" + dir)
}
