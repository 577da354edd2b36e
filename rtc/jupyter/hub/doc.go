// Package hub queries a JupyterHub for its users' servers and tokens, and starts servers: the part of the hub's REST
// API (https://jupyterhub.readthedocs.io/en/stable/reference/rest-api.html) that a client with a user's token needs.
package hub
