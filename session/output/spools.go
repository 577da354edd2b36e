package output

import (
	"slices"
	"sync"
)

const (
	// maxSpools bounds what is kept in files for all runs together.
	maxSpools = 1 << 30
	// maxOpenSpools is how many runs have a file at once.
	maxOpenSpools = 32
)

// Spools are the files of all runs. The oldest go first where they are too much. The zero value is ready for use.
type Spools struct {
	mu    sync.Mutex
	bytes int64    // in all files
	files []*spool // that have one, oldest first
}

// trim lets go of the oldest until the bounds are kept, but for one. The lock is held.
func (a *Spools) trim(but *spool) {
	for a.bytes > maxSpools || len(a.files) > maxOpenSpools {
		i := slices.IndexFunc(a.files, func(s *spool) bool { return s != but })
		if i < 0 {
			return
		}
		a.files[i].release()
	}
}

// Close lets go of all.
func (a *Spools) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.files) > 0 {
		a.files[0].release()
	}
}
