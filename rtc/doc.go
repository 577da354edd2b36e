// Package rtc is one room of JupyterLab's real-time collaboration, seen from
// a peer: joining it, keeping a replica of its document in step, being seen in
// its awareness, surviving lost connections, and leaving it.
//
// A room lives on the Jupyter server and is named by what it shares,
// "json:notebook:<file id>". A peer asks the server for a session, opens a
// websocket, says what it has (SYNC1), is told what it lacks (SYNC2), and from
// then on every edit of everybody passes as an UPDATE. Three rules keep a
// document whole:
//
//   - Nothing but SYNC1 is sent before the SYNC2 that answers it has been
//     applied: the server applies frames even of a peer that it is about to
//     refuse.
//   - A replica is only ever brought back to the same history. When the server
//     hands out another session, or has forgotten something that it had
//     confirmed, the room is closed with [Discard] and whoever joined it starts
//     again with an empty replica.
//   - An edit is done when the room has it, and not before: [Room.Barrier]
//     sends a SYNC1 behind the edits and waits for its SYNC2, which the server
//     can only send after it has taken them.
//
// A server may have jupyter-server-documents in place of jupyter-collaboration.
// What is different there stands in documents.go.
//
// # Concurrency
//
// A Room is safe for use by any goroutine. One goroutine, [Room.run], owns the
// connection and every transition of the state machine in state.go; each
// connection has a reading and a writing goroutine, which end before run takes
// up the next one; run itself ends before [Room.Done] is closed. The replica
// has its own lock. Its OnUpdate callback runs under that lock and only puts
// the update into the outbox, so that the order on the wire is the order of
// the edits.
package rtc
