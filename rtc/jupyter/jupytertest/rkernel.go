package jupytertest

import "testing"

// WithR gives a server the kernelspec "ir" of R: that of .cache/r, or of the folder that NBDUET_RKERNEL names. The test
// fails where it is missing.
func WithR(t testing.TB) Option {
	t.Helper()
	NeedsReal(t, "a kernel of R")
	return WithEnv("JUPYTER_PATH=" + installed(t, "NBDUET_RKERNEL", "r/usr/share/jupyter", "kernels/ir/kernel.json",
		"no kernel for R: run `make rkernel`, or name a folder that has kernels/ir with NBDUET_RKERNEL"))
}
