// Package lease has a mention delivered once where several processes of this program are in one room: the first that takes
// it has it.
//
// A process that takes a mention puts a claim into the room's state map, and waits until the server has it and we have what
// the server had. If no other claim stands there then, the mention is its own, and the claim says so. If one does, a process
// takes its claim back when that one is decided, or comes first in an order of the two that is another for each mention; the
// one that stays waits until the others have decided or gone. As whoever keeps a claim has seen none beside it after the
// server had it, and claims that are kept are not taken back, two cannot both have a mention: of two claims the second to reach
// the server comes back to its process with the first. That takes no clock, and no process has to be quick.
//
// What a process has taken, answered or given back is then told by its claim; see [Claims.Run]. A claim stands while its
// process is in the room, and for good once the mention was answered. So a mention is free again when the process that took
// it has left, or has crashed and is not heard of for 30 seconds.
//
// Where no other process is in the room, nothing is written and nothing is waited for. Who has just come cannot know that, see
// [people.Known], and claims as well.
//
// # What is not promised
//
// A mention is delivered rather twice than never: where its room is not joined, the server does not confirm the claim in a few
// seconds, or the state takes none; and by a process that the others do not hear of for 30 seconds although it goes
// on. Everybody in the room may write claims, as they may write all else in it.
//
// # Concurrency
//
// [Claims] is safe for use by any goroutine. [Claims.Run] is the one goroutine, and its caller's.
package lease
