package rtc

import "context"

// What is different with jupyter-server-documents:
//
//   - The handshake is the client's to begin, which ours always is: SYNC1, then
//     the server's SYNC2 and SYNC1, which must be answered within five seconds
//     (its yroom.py). Each barrier is such a handshake, and while the server
//     waits for the answer it takes nothing of anybody.
//   - There are no sessions and no store, so nothing shows whether a room has
//     the history that it had before: every loss discards.
//   - It takes no request to save. It saves by itself, about half a second
//     after any edit (its yroom_file_api.py).

// Documents tells that the room is one of jupyter-server-documents.
func (r *Room) Documents() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session.Documents
}

// discardIfUnsure turns a lost connection that could be made again into the end of
// the room, where the next one may lead to another history. A replica that is
// still empty fits any.
func (r *Room) discardIfUnsure(why *CloseError) *CloseError {
	if why.Action != Rejoin || !r.Documents() {
		return why
	}
	if r.State() == Joining && len(r.stateVector()) == 1 {
		return why
	}
	return &CloseError{Code: why.Code, Action: Discard, Reason: why.Reason, Err: why.Err, Unsure: true}
}

// saveByServer is Save where the server saves by itself: it returns when the
// room has all that is to be saved.
func (r *Room) saveByServer(ctx context.Context) (string, error) {
	return "unasked", r.Barrier(ctx)
}

// confirm tells those who wait for a SYNC2 that it has come. Where the server
// then asks for ours, they are told when the answer is on its way: who waited in
// order to leave would leave the others in the room waiting for it.
func (r *Room) confirm(tickets []*ticket, v *connState) {
	v.owed = append(v.owed, tickets...)
	if !r.Documents() {
		v.confirmOwed()
	}
}

// confirmOwed tells those whom the visit owes an answer.
func (v *connState) confirmOwed() {
	for _, t := range v.owed {
		t.done <- nil
	}
	v.owed = nil
}
