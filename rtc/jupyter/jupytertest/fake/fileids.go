package fake

import (
	"net/http"
	"strings"
	"sync"
)

// fileIDs assigns ids to files, as jupyter_server_fileid's ArbitraryFileIdManager does: any text gets one.
type fileIDs struct {
	mu     sync.Mutex
	byPath map[string]string
	byID   map[string]string
}

func newFileIDs() *fileIDs {
	return &fileIDs{byPath: make(map[string]string), byID: make(map[string]string)}
}

// index returns the id of a path, and whether it is new.
func (f *fileIDs) index(p string) (id string, made bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id, ok := f.byPath[p]; ok {
		return id, false
	}
	id = newID()
	f.byPath[p], f.byID[id] = id, p
	return id, true
}

// id returns the id of a path, if it has one.
func (f *fileIDs) id(p string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, ok := f.byPath[p]
	return id, ok
}

// path returns the path of a file id.
func (f *fileIDs) path(id string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.byID[id]
	return p, ok
}

// rename updates the path of a file, and of a folder's content if the folder has an id itself. A path without an id
// gets one.
func (f *fileIDs) rename(from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, ok := f.byPath[from]
	if !ok {
		if _, ok := f.byPath[to]; !ok {
			id = newID()
			f.byPath[to], f.byID[id] = id, to
		}
		return
	}
	moved := map[string]string{id: to}
	for p, id := range f.byPath {
		if rest, ok := strings.CutPrefix(p, from+"/"); ok {
			moved[id] = to + "/" + rest
		}
	}
	for id, p := range moved {
		delete(f.byPath, f.byID[id])
		if old, taken := f.byPath[p]; taken {
			delete(f.byID, old)
		}
		f.byPath[p], f.byID[id] = id, p
	}
}

// remove removes a file, or a folder with its content.
func (f *fileIDs) remove(p string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for at, id := range f.byPath {
		if at == p || strings.HasPrefix(at, p+"/") {
			delete(f.byPath, at)
			delete(f.byID, id)
		}
	}
}

func (s *Server) fileID(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Query().Get("path")
	id, ok := s.ids.id(p)
	switch {
	case p == "":
		refuse(w, http.StatusBadRequest, "'path' parameter was not provided in the request.")
	case !ok:
		unknownID(w, "The ID for file, "+p+", could not be found.")
	default:
		answer(w, http.StatusOK, map[string]any{"id": id, "path": p})
	}
}

func (s *Server) filePath(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	p, ok := s.ids.path(id)
	switch {
	case id == "":
		refuse(w, http.StatusBadRequest, "'id' parameter was not provided in the request.")
	case !ok:
		unknownID(w, "The path for file, "+id+", could not be found.")
	default:
		answer(w, http.StatusOK, map[string]any{"id": id, "path": p})
	}
}

func unknownID(w http.ResponseWriter, why string) {
	answer(w, http.StatusNotFound, map[string]any{"message": why, "reason": why})
}
