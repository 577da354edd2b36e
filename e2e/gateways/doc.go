// Package gateways has the tests with kernels elsewhere: a JupyterLab that has its kernels from a real Jupyter Kernel
// Gateway, and from a real Jupyter Enterprise Gateway with its local process proxy, each set up as docs/kernels-elsewhere.md
// says. The page's commands are read out of it, so that what it says is what is tried.
package gateways
