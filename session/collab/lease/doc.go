// Package lease ensures that, of several processes of this program in a room, one delivers each mention: the first that
// takes it.
//
// A process that takes a mention puts a claim into the room's state map, and waits until the server has the claim and the
// process has the server's state. If the map then holds no other claim, the process has the mention, and its claim is marked
// final. Otherwise the process removes its claim if the other one is final, or precedes it in an order that differs for each
// mention; the remaining process waits until the others have decided or left. Two processes cannot both have a mention: of
// two claims, the process whose claim reaches the server second sees the first one, and a process keeps its claim only if it
// saw no other after the server had it. This needs no clock, and no process has to be quick.
//
// The claim then shows whether the process has taken, answered or released the mention; see [Leases.Run]. A claim is valid
// while its process is in the room, and indefinitely once the mention was answered. A mention is therefore free again when
// the process that took it has left, or has crashed and sent nothing for 30 seconds.
//
// If no other process is in the room, nothing is written and nothing is waited for. A process that has just joined cannot
// know that (see [people.Known]), so it also claims.
//
// # What is not promised
//
// A mention may be delivered twice rather than never: if its room is not joined, if the server does not confirm the claim
// within a few seconds, if the state cannot be written, or if a process is still running but the others receive nothing from
// it for 30 seconds. Everybody in the room may write claims, as they may write everything else in it.
//
// # Concurrency
//
// [Leases] is safe for concurrent use. Its only goroutine is [Leases.Run], which the caller starts.
package lease
