package filesync

import (
	"sync"
	"time"
)

// jupyter-collaboration 2 and 3 save by themselves, a second after the last change, and know no request to save: they
// ignore it. Version 2 puts no hash of the file into the document either. There the file's content is the proof.

// silentWait is how long a save waits for a server's answer that has never answered one.
const silentWait = 500 * time.Millisecond

// Silence knows whether a server answers requests to save. A single answer that does not come says little: people's
// saves take the place of ours.
type Silence struct {
	mu      sync.Mutex
	session string // the server's process, by its collaboration session
	heard   bool   // it has answered
	missed  bool   // it has not, once at least
}

// of forgets what was known of another process of the server. mu is held.
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

// note notes how a request has ended; late tells that its time was over.
func (s *Silence) note(session string, err error, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(session)
	s.heard = s.heard || err == nil
	s.missed = s.missed || err != nil && late
}

// lastWord is within what time a server that says nothing of the last saves has said something else: between them it is
// asked whether it has our edits.
const lastWord = 3 * time.Second
