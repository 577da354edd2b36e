// Package hub asks a JupyterHub about its users' servers and tokens, and has it start servers: the part of the hub's REST
// API (https://jupyterhub.readthedocs.io/en/stable/reference/rest-api.html) that a client with a user's token needs.
package hub
