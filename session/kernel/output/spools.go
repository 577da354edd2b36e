package output

import (
	"slices"
	"sync"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

const (
	// maxSpools bounds the files of all runs together.
	maxSpools = 1 << 30
	// maxOpenSpools is how many runs have a file at once.
	maxOpenSpools = 32
)

// Stores are the places for output that cells lack. Each may be nil: then that output is dropped.
type Stores struct {
	Spools  *Spools       // text beyond the bounds
	Figures *figure.Known // the figures' own descriptions
}

// Spools are the files of all runs. Beyond the bounds the oldest are dropped. The zero value is ready for use.
type Spools struct {
	mu    sync.Mutex
	bytes int64    // in all files
	files []*spool // spools with a file, the oldest first
}

// trim drops the oldest, except but, until the bounds are met. The lock is held.
func (a *Spools) trim(but *spool) {
	for a.bytes > maxSpools || len(a.files) > maxOpenSpools {
		i := slices.IndexFunc(a.files, func(s *spool) bool { return s != but })
		if i < 0 {
			return
		}
		a.files[i].release()
	}
}

// Close drops all spools.
func (a *Spools) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.files) > 0 {
		a.files[0].release()
	}
}
