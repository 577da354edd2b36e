// Package jupyterhub tests the program with a real JupyterHub, of version 5 and of version 6, in the set-ups that
// docs/jupyterhub.md describes. Each configuration is read out of that page, so that what the page says is what works.
package jupyterhub
