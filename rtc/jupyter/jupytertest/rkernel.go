package jupytertest

import "testing"

// WithR gives a server the kernelspec "ir" of R: the one in .cache/r, or in the folder NBDUET_RKERNEL. The test fails
// if it is missing.
func WithR(t testing.TB) Option {
	t.Helper()
	NeedsReal(t, "a kernel of R")
	return WithEnv("JUPYTER_PATH=" + installed(t, "NBDUET_RKERNEL", "r/usr/share/jupyter", "kernels/ir/kernel.json",
		"no kernel for R: run `make rkernel`, or name a folder that has kernels/ir with NBDUET_RKERNEL"))
}
