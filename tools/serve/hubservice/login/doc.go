// Package login lets MCP clients log in with a JupyterHub: to clients it is an OAuth 2.1 authorization server, as MCP wants
// one, and to the hub the OAuth client of a service.
//
// A hub has one OAuth client for each service, with one redirect URI, and no registration; MCP clients come with redirect
// URIs of their own, and register themselves (RFC 7591). So this package stands between: a client is sent to the hub,
// where the person logs in; the person is then asked here whether that client may work in their name, because the hub
// asks about the service only; and the client gets a token of ours, in which the hub's token is sealed.
//
// Nothing is kept: what clients and browsers bring back (ids of clients, states, codes, tokens) is sealed with a key made of
// the service's secret, so that all of it outlives this program, and several programs with one secret stand for each other.
// Only which codes were used is remembered, for the minute that they last.
package login
