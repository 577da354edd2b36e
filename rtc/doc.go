// Package rtc joins a room of JupyterLab's real-time collaboration as a peer: it synchronises a replica of the
// document, announces itself in the room's awareness, survives lost connections, and leaves.
//
// A room lives on the Jupyter server and is named after the file it shares, "json:notebook:<file id>". A peer asks
// the server for a session, opens a websocket, sends its state vector (SYNC1), and receives the updates it lacks
// (SYNC2). From then on each edit travels as an UPDATE. Three rules keep a document whole:
//
//   - Only SYNC1 is sent until the SYNC2 that answers it has been applied, because the server applies frames even of a
//     peer that it is about to refuse.
//   - A replica rejoins only with the same history. If the server has another session, or has lost edits that it had
//     confirmed, the room is closed with [Discard], and the caller starts again with an empty replica.
//   - An edit is done when the room has it: [Room.Barrier] sends a SYNC1 after the edits and waits for its SYNC2, which
//     the server sends only after it has applied the edits.
//
// A server may have jupyter-server-documents instead of jupyter-collaboration. The file jsd.go lists the differences.
//
// # Concurrency
//
// A Room is safe for concurrent use. One goroutine, [Room.run], owns the connection and every transition of the state
// machine in room.go. Each connection has a reading, a writing and a pinging goroutine, which end before run opens
// the next one; run itself ends before [Room.Done] is closed. The replica has its own lock. Its OnUpdate callback
// runs under that lock and only puts the update into the outbox, so that the order on the wire is the order of the
// edits.
package rtc
