// Package gateways tests kernels elsewhere: a JupyterLab with kernels from a real Jupyter Kernel Gateway, and from a
// real Jupyter Enterprise Gateway with its local process proxy, each set up as docs/kernels-elsewhere.md says. The
// commands are read from that page, so that its text is tested.
package gateways
