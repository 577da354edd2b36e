package jupytertest

import (
	"os"
	"path/filepath"
	"testing"
)

// WithNbmodel gives a server jupyter-server-nbmodel, which runs cells by itself: that of .cache/nbmodel, or of the folder
// that NBDUET_NBMODEL names. The test fails where it is missing.
func WithNbmodel(t testing.TB) Option {
	t.Helper()
	dir := os.Getenv("NBDUET_NBMODEL")
	if dir == "" {
		dir = filepath.Join(repository(), ".cache", "nbmodel")
	}
	if _, err := os.Stat(filepath.Join(dir, "jupyter_server_nbmodel")); err != nil {
		t.Fatalf("no jupyter-server-nbmodel: run `make nbmodel`, or name its folder with NBDUET_NBMODEL: %v", err)
	}
	return WithEnv("PYTHONPATH="+dir, "JUPYTER_CONFIG_PATH="+filepath.Join(dir, "etc", "jupyter"))
}
