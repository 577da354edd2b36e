// Package fronts tests things in front of a Jupyter server or beside it: reverse proxies (nginx, Caddy) with TLS of a
// private authority, a path prefix, an idle limit, or without websockets; other sites' pages that answer in its place; a
// password whose login ends; a wrong clock. The program and JupyterLab are the real ones.
package fronts
