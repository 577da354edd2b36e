// Package hubservice is nbduet as a service of a JupyterHub: one MCP address for all users of the hub, each of whom works on
// the server of their own, with a token of their own.
//
// A request bears a token of the hub's, or one of package login, in which one is sealed. The hub is asked whose it is
// (tokens.go), at most each half minute. Each user has a tenant (tenants.go): an MCP server, an HTTP server for it, a client
// of the user's Jupyter server with all rooms, kernels and runs, and a record of activity. Nothing of a tenant is reachable
// from another: the tables of sessions, images, runs and documents are the tenant's own, and its Jupyter server gets the
// user's token alone. A tenant's HTTP server refuses requests of others once more (serve.Config.Only).
//
// A tenant ends when none of its tokens is good any more, and when its user was silent for long and nothing runs. Service.Run
// owns the goroutines: one that looks after tokens and tenants, and one for each tenant.
package hubservice
