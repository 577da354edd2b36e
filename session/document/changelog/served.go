package changelog

import (
	"slices"
	"sync"
)

// Served holds the cells that the server runs for clients of this program. The server writes their outputs into the room
// itself, as an unidentified client. The zero value is empty.
type Served struct {
	mu    sync.Mutex
	cells map[string][]string // the clients by cell id
}

// Begin notes that the server runs a cell for a client, until end is called.
func (s *Served) Begin(cell, client string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cells == nil {
		s.cells = map[string][]string{}
	}
	s.cells[cell] = append(s.cells[cell], client)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		list := s.cells[cell]
		if at := slices.Index(list, client); at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		if s.cells[cell] = list; len(list) == 0 {
			delete(s.cells, cell)
		}
	}
}

// client returns the client that the server runs a cell for; false if it does not run it.
func (s *Served) client(cell string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.cells[cell]
	if len(list) == 0 {
		return "", false
	}
	return list[0], true
}

// Serves tells the log which cells the server runs.
func (l *Log) Serves(s *Served) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.served = s
}

// runBy returns the author of changed outputs or a changed count: the client that the server runs the cell for, if the
// change may be the server's.
func (l *Log) runBy(cell string, who Who) Who {
	client, ok := l.served.client(cell)
	if !ok || who.Ours || slices.ContainsFunc(who.Clients, l.known) {
		return who
	}
	return Who{Ours: true, Client: client}
}

// known reports whether a client has identified itself, which the server does not.
func (l *Log) known(client uint64) bool {
	_, _, ok := l.Named(client)
	return ok
}
