package kernel

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Servers are the Jupyter servers that documents and kernels are on: one, or two. Files, rooms and file ids are the
// one's, kernels, their Jupyter sessions and kernelspecs the other's. To the kernels' server the path of a notebook is
// only a name then: it may have another file of that name, or none. So it is asked for no file, and its sessions count
// as those of our notebooks only where they were found or started for one. An open tab does not know of that server's
// kernels: it shows what they put out, and cannot run a cell in them.
type Servers struct {
	Documents *jupyter.Server
	Kernels   *jupyter.Server

	mu    sync.Mutex
	taken map[string]string // the sessions of our notebooks where the two are apart, by the file's id, which stays when a file is renamed
}

// Apart reports whether the kernels are on another server than the documents.
func (s *Servers) Apart() bool { return s.Kernels != s.Documents }

// Take notes that a session is that of the notebook with the file id.
func (s *Servers) Take(file string, sess jupyter.Session) {
	if file == "" || !s.Apart() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken = make(map[string]string)
	}
	s.taken[file] = sess.ID
}

// Ours reports whether a Jupyter session is of a notebook of the documents' server.
func (s *Servers) Ours(sess jupyter.Session) bool {
	if !s.Apart() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.taken {
		if id == sess.ID {
			return true
		}
	}
	return false
}

// NotebookOf is the path of the notebook that a Jupyter session of the kernels' server is of, "" where it is of none of
// the documents' server's.
func (s *Servers) NotebookOf(sess jupyter.Session) string {
	if sess.Type != "notebook" || !s.Ours(sess) {
		return ""
	}
	return sess.Path
}

// Session gives the session that the notebook had on the other server, under its new path where it was renamed; false
// where it had none, or that is gone. Where there is no other server [FindOrStart] knows.
func (s *Servers) Session(ctx context.Context, file, path string) (jupyter.Session, bool, error) {
	s.mu.Lock()
	id := s.taken[file]
	s.mu.Unlock()
	if id == "" {
		return jupyter.Session{}, false, nil
	}
	sessions, err := s.Kernels.Sessions(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	for _, found := range sessions {
		if found.ID != id {
			continue
		}
		if found.Path != path {
			if found, err = s.Kernels.PatchSession(ctx, id, path, ""); err != nil {
				return found, false, fmt.Errorf("take the kernel of %s along with it: %w", path, err)
			}
		}
		return found, true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taken, file)
	return jupyter.Session{}, false, nil
}

// Move takes the kernels of a renamed notebook, or of all in a renamed folder, along. An open tab does that itself;
// without one the next run would start another kernel. The errors are of those that stay behind.
func (s *Servers) Move(ctx context.Context, from, to string) []error {
	sessions, err := s.Kernels.Sessions(ctx)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, sess := range sessions {
		below, ok := strings.CutPrefix(sess.Path, from)
		if !ok || below != "" && below[0] != '/' || !s.Ours(sess) {
			continue
		}
		if _, err := s.Kernels.PatchSession(ctx, sess.ID, to+below, ""); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
