// Package hubs runs a real JupyterHub of version 5 or 6 for tests: the hub, its proxy, and the servers that it starts for
// users who need not exist on the machine.
//
//	h, err := hubs.Start(ctx, hubs.Options{Version: 6, Prefix: "/labs/"})
//	err = h.AddUsers(ctx, "ann")
//	url, err := h.StartServer(ctx, "ann")
//	token, err := h.Token(ctx, "ann", "access:servers!user=ann")
//
// A hub reads and writes only below one temporary folder: its database, its secrets, and a home for each user. It listens
// only on the loopback address, and no variable of the environment that could lead it elsewhere is passed on to it. A user
// logs in with any password, so other machines must not reach it.
//
// Concurrency: a [Hub] may be used from any goroutine. One goroutine waits for the end of the hub's process; Stop waits
// for that goroutine.
package hubs
