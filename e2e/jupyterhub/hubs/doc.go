// Package hubs runs a real JupyterHub of version 5 or 6 for tests: the hub, its proxy, and the servers that it starts for
// users who need not exist on the machine.
//
//	h, err := hubs.Start(ctx, hubs.Options{Version: 6, Prefix: "/labs/"})
//	err = h.AddUsers(ctx, "ann")
//	url, err := h.StartServer(ctx, "ann")
//	token, err := h.Token(ctx, "ann", "access:servers!user=ann")
//
// All that a hub reads or writes lies in one temporary folder: its database, its secrets, and a home for each user. It
// listens on the loopback address alone, and nothing of the environment that could lead it elsewhere is handed on to it.
// A user logs in with any password, and so no one else may reach it.
//
// Concurrency: a [Hub] may be used from any goroutine. One goroutine waits for the end of the hub's process; Stop waits
// for that goroutine.
package hubs
