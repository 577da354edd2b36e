package run

import "github.com/nbduet/nbduet/session/textfmt"

// Code that requests input waits in one of two ways. While an [Asker] asks a person, the run stays [Running]. Without an
// Asker it is [WaitingForInput], and the client that started the run can answer: browser tabs do not show the question,
// because the kernel sends it only to this program.

// Errors of [Run.Answer].
var (
	ErrNotAsking = textfmt.Fixed("the code does not wait for input")
	ErrAsked     = textfmt.Fixed("a person is being asked for this input")
	ErrPassword  = textfmt.Fixed("the code asks for a password")
)

// A vacancy is a question without an Asker. The line is sent at most once, with the run locked.
type vacancy chan string

// Answer answers the question of a run that is [WaitingForInput] with a line without its newline. In another state it
// returns an error, and for a password too unless passwords is set.
func (r *Run) Answer(line string, passwords bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.res.Asking == nil:
		return ErrNotAsking
	case r.vacant == nil:
		return ErrAsked
	case r.res.Asking.Password && !passwords:
		return ErrPassword
	}
	r.vacant <- line // buffered
	r.res.Asking = nil
	r.fill()
	return nil
}

// Unasked returns a channel that is closed while the run is [WaitingForInput]. Each later question has a new one.
func (r *Run) Unasked() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unasked
}

// vacate makes the run wait for an answer; nil if its Asker was replaced since changed was current.
func (r *Run) vacate(changed <-chan struct{}) vacancy {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.askers != changed {
		return nil
	}
	if r.vacant == nil { // else the code asks again, without the answer to its last question
		close(r.unasked)
	}
	r.vacant = make(vacancy, 1)
	return r.vacant
}

// fill ends the wait for an answer. r.mu is held.
func (r *Run) fill() {
	if r.vacant != nil {
		r.vacant, r.unasked = nil, make(chan struct{})
	}
}

// close ends the wait for the answer to v, and returns the line if it was answered.
func (r *Run) close(v vacancy) (line string, answered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.vacant == v {
		r.fill()
	}
	select {
	case line = <-v:
		return line, true
	default:
		return "", false
	}
}
