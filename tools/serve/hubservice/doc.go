// Package hubservice runs nbduet as a JupyterHub service: one MCP address for all users of the hub. Each works on their own
// server, with their own token.
//
// A request bears a token of the hub, or one of package login, which contains a sealed hub token. The service asks the hub
// for the token's user (tokens.go), at most every half minute. Each user has a tenant (tenants.go): an MCP server, an HTTP
// server for it, a client of the user's Jupyter server with all rooms, kernels and runs, and an activity record. A tenant
// cannot reach another: it has its own tables of sessions, images, runs and documents, and its Jupyter server gets only the
// user's token. A tenant's HTTP server also refuses requests of other users (serve.Config.Only).
//
// A tenant ends when none of its tokens is valid any more, and when its user has been silent for long and no code runs.
// Service.Run owns the goroutines: one that checks tokens and tenants, and one for each tenant.
package hubservice
