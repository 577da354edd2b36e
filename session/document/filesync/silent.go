package filesync

import (
	"sync"
	"time"
)

// jupyter-collaboration 2 and 3 save by themselves, a second after the last change, and ignore requests to save. Version 2
// does not put a hash of the file into the document either. The file's content is then the proof.

// silentWait is how long a save waits for the answer of a server that has never answered one.
const silentWait = 500 * time.Millisecond

// Silence records whether a server answers requests to save. A single missing answer says little: people's saves replace
// ours.
type Silence struct {
	mu      sync.Mutex
	session string // the server's process, by its collaboration session
	heard   bool   // it has answered
	missed  bool   // at least one answer was missing
}

// of resets the state if the server's process has changed. mu is held.
func (s *Silence) of(id string) {
	if id != s.session {
		s.session, s.heard, s.missed = id, false, false
	}
}

// is reports whether the server has missed an answer and never given one.
func (s *Silence) is(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(session)
	return s.missed && !s.heard
}

// speaks reports whether the server has answered.
func (s *Silence) speaks(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(session)
	return s.heard
}

// note records the result of a request; late reports that it timed out.
func (s *Silence) note(session string, err error, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(session)
	s.heard = s.heard || err == nil
	s.missed = s.missed || err != nil && late
}

// lastWord is how recently a server that does not answer the last save must have sent another message to count as connected:
// between such messages it is asked whether it has our edits.
const lastWord = 3 * time.Second
