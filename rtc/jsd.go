package rtc

// What is different with jupyter-server-documents:
//
//   - The client begins the handshake, as we always do: SYNC1, then the server's SYNC2 and SYNC1, which must be
//     answered within five seconds (its yroom.py). Each barrier is such a handshake, and while the server waits for the
//     answer it accepts nothing from anybody.
//   - It has no sessions and no store, so nothing shows whether a room still has the same history: every lost
//     connection discards the replica.
//   - It has no request to save. It saves by itself, about half a second after each edit (its yroom_file_api.py).

// Documents tells that the room is one of jupyter-server-documents.
func (r *Room) Documents() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session.Documents
}

// discardIfUnsure makes a lost connection the end of the room if the next one may lead to another history. An empty
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

// confirm tells the waiting callers that their SYNC2 has come. If the server then asks for ours, they are told when our
// answer is on its way, because a caller that leaves at once would keep the others in the room waiting for it.
func (r *Room) confirm(tickets []ticket, v *connState) {
	v.owed = append(v.owed, tickets...)
	if !r.Documents() {
		v.confirmOwed()
	}
}

// confirmOwed tells the callers that confirm has held back.
func (v *connState) confirmOwed() {
	for _, t := range v.owed {
		t <- nil
	}
	v.owed = nil
}
