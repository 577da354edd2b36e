// Package fronts has what stands in front of a Jupyter server, or beside it: reverse proxies (nginx, Caddy) with TLS of a
// private authority, a path prefix, an idle limit, or without websockets; pages of others that answer in its place; a
// password whose login ends; a clock that is wrong. The program and JupyterLab are the real ones.
package fronts
