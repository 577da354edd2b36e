// Package jupyterhub tests the program with a real JupyterHub, of version 5 and of version 6, in the set-ups of
// docs/jupyterhub.md. Each configuration is read from that page, so that its text is tested.
package jupyterhub
