package rtc

// Differences with jupyter-server-documents:
//
//   - The client begins the handshake, as this package always does: SYNC1, then the server's SYNC2 and SYNC1, which must
//     be answered within five seconds (its yroom.py). Each barrier is such a handshake, and while the server waits for the
//     answer it accepts nothing from any client.
//   - It has no sessions and no store, so nothing shows whether a room still has the same history: every lost
//     connection discards the replica.
//   - It has no save request. It saves by itself, about half a second after each edit (its yroom_file_api.py).

// Documents reports whether the room is one of jupyter-server-documents.
func (r *Room) Documents() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session.Documents
}

// discardIfUnsure turns a lost connection into the end of the room if the next one may have another history. An empty
// replica fits any history.
func (r *Room) discardIfUnsure(why *CloseError) *CloseError {
	if why.Action != Rejoin || !r.Documents() {
		return why
	}
	if r.State() == Joining && len(r.stateVector()) == 1 {
		return why
	}
	return &CloseError{Code: why.Code, Action: Discard, Reason: why.Reason, Err: why.Err, Unsure: true}
}

// confirm notifies the waiting callers that their SYNC2 has arrived. If the server then asks for our state, they are
// notified once our answer is queued, because a caller that leaves at once would keep the others in the room waiting
// for it.
func (r *Room) confirm(tickets []ticket, v *connState) {
	v.owed = append(v.owed, tickets...)
	if !r.Documents() {
		v.confirmOwed()
	}
}

// confirmOwed notifies the callers that confirm has held back.
func (v *connState) confirmOwed() {
	for _, t := range v.owed {
		t <- nil
	}
	v.owed = nil
}
