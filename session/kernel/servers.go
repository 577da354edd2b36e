package kernel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/listcache"
)

// Servers are the Jupyter servers of documents and kernels: one server, or two. One has files, rooms and file ids; the
// other has kernels, their Jupyter sessions and kernelspecs. If there are two, a notebook's path only identifies it on the
// kernels' server, which may have a different file of that name. So no files are requested there, and its sessions count as
// our notebooks' only if they were found or started for one. An open tab does not know that server's kernels: it shows
// their outputs, and cannot run a cell in them.
type Servers struct {
	Documents *jupyter.Server
	Runtime   *jupyter.Server
	Lists     *listcache.Lists // of both, for display

	mu    sync.Mutex
	taken map[string]string // the sessions of our notebooks if the servers are apart, by file id, which survives a rename
}

// Apart reports whether the kernels are on another server than the documents. A server that is not found yet counts as
// another: nothing is known about it.
func (s *Servers) Apart() bool {
	return s.Runtime != s.Documents && !jupyter.SameServer(s.Documents.BaseURL(), s.Runtime.BaseURL())
}

// Find finds the servers that are not found yet, see [jupyter.Server.Find].
func (s *Servers) Find(ctx context.Context) error {
	if err := s.Documents.Find(ctx); err != nil || s.Runtime == s.Documents {
		return err
	}
	return s.Runtime.Find(ctx)
}

// Take notes the session of the notebook with that file id.
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

// Ours reports whether a Jupyter session belongs to a notebook of the documents' server.
func (s *Servers) Ours(sess jupyter.Session) bool {
	if !s.Apart() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(s.taken)), sess.ID)
}

// NotebookOf returns the path of the notebook of a Jupyter session on the kernels' server, or the root if the session does
// not belong to a notebook of the documents' server.
func (s *Servers) NotebookOf(sess jupyter.Session) jupyter.Path {
	if sess.Type != "notebook" || !s.Ours(sess) {
		return jupyter.Path{}
	}
	return sess.Path
}

// Session returns the notebook's session on the other server, under its new path if it was renamed; false if it has none.
// With one server use [FindOrStart].
func (s *Servers) Session(ctx context.Context, file string, path jupyter.Path) (jupyter.Session, bool, error) {
	s.mu.Lock()
	id := s.taken[file]
	s.mu.Unlock()
	if id == "" {
		return jupyter.Session{}, false, nil
	}
	sessions, err := s.Runtime.Sessions.List(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	for _, found := range sessions {
		if found.ID != id {
			continue
		}
		if found.Path != path {
			if found, err = s.Runtime.Sessions.Patch(ctx, id, path, ""); err != nil {
				return found, false, fmt.Errorf("move the kernel of %s to its new path: %w", path, err)
			}
		}
		return found, true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taken, file)
	return jupyter.Session{}, false, nil
}

// Move gives the kernels of a renamed notebook, or of all notebooks in a renamed folder, their new paths. An open tab does
// that itself; without a tab the next run would start another kernel. It returns an error for each kernel that was not
// moved.
func (s *Servers) Move(ctx context.Context, from, to jupyter.Path) []error {
	sessions, err := s.Runtime.Sessions.List(ctx)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, sess := range sessions {
		if !sess.Path.Under(from) || !s.Ours(sess) {
			continue
		}
		if _, err := s.Runtime.Sessions.Patch(ctx, sess.ID, sess.Path.Moved(from, to), ""); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
