// Package login lets MCP clients log in with a JupyterHub: to clients it is an OAuth 2.1 authorization server, as MCP
// requires, and to the hub the OAuth client of a service.
//
// A hub has one OAuth client for each service, with one redirect URI, and no registration; MCP clients have their own
// redirect URIs and register themselves (RFC 7591). This package mediates: it sends a client to the hub, where the person
// logs in; it then asks the person whether that client may work in their name, because the hub asks only about the service;
// and it gives the client its own token, in which the hub's token is sealed.
//
// Nothing is stored: the values that clients and browsers bring back (ids of clients, states, codes, tokens) are sealed with
// a key derived from the service's secret. They therefore outlive this program, and several programs with one secret accept
// each other's values. Only the used codes are remembered, for the minute that they last.
package login
