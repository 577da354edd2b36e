package rooms

import (
	"maps"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/nbjson"
)

// Store holds the state that outlives rooms, and servers that share it: the history of each document, and which
// notebooks are trusted. The zero value is empty.
type Store struct {
	mu      sync.Mutex
	records map[document]*record
	notary  nbjson.Notary
}

// Notary returns the record of trusted notebooks.
func (s *Store) Notary() *nbjson.Notary { return &s.notary }

// document identifies a document. Rooms that differ only in the format share one.
type document struct{ typ, fileID string }

// record is the history of a document: its updates.
type record struct {
	mu      sync.Mutex
	updates [][]byte
}

// record returns the history of a document.
func (s *Store) record(typ, fileID string) *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := document{typ, fileID}
	if s.records == nil {
		s.records = map[document]*record{}
	}
	if s.records[key] == nil {
		s.records[key] = &record{}
	}
	return s.records[key]
}

func (r *record) add(update []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, update)
}

func (r *record) all() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.updates)
}

// forget drops the histories of files.
func (s *Store) forget(which func(fileID string) bool) {
	s.mu.Lock()
	keys := slices.Collect(maps.Keys(s.records))
	s.mu.Unlock()
	keys = slices.DeleteFunc(keys, func(d document) bool { return !which(d.fileID) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		delete(s.records, k)
	}
}
