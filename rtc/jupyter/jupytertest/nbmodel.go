package jupytertest

import (
	"path/filepath"
	"testing"
)

// WithNbmodel gives a server jupyter-server-nbmodel, which runs cells by itself: that of .cache/nbmodel, or of the
// folder that NBDUET_NBMODEL names. The test fails where it is missing.
func WithNbmodel(t testing.TB) Option {
	t.Helper()
	NeedsReal(t, "jupyter-server-nbmodel")
	dir := installed(t, "NBDUET_NBMODEL", "nbmodel", "jupyter_server_nbmodel",
		"no jupyter-server-nbmodel: run `make nbmodel`, or name its folder with NBDUET_NBMODEL")
	return WithEnv("PYTHONPATH="+dir, "JUPYTER_CONFIG_PATH="+filepath.Join(dir, "etc", "jupyter"))
}
