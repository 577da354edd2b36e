package jupytertest

import (
	"os"
	"path/filepath"
	"testing"
)

// WithR gives a server the kernelspec "ir" of R: that of .cache/r, or of the folder that NBDUET_RKERNEL names. The test
// fails where it is missing.
func WithR(t testing.TB) Option {
	t.Helper()
	dir := os.Getenv("NBDUET_RKERNEL")
	if dir == "" {
		dir = filepath.Join(repository(), ".cache", "r", "usr", "share", "jupyter")
	}
	if _, err := os.Stat(filepath.Join(dir, "kernels", "ir", "kernel.json")); err != nil {
		t.Fatalf("no kernel for R: run `make rkernel`, or name a folder that has kernels/ir with NBDUET_RKERNEL: %v", err)
	}
	return WithEnv("JUPYTER_PATH=" + dir)
}
