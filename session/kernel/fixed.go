package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Fixed ties a notebook to a kernel that runs already, whatever its Jupyter session has. The zero value ties nothing.
type Fixed struct {
	Path string // of the notebook, as the Contents API has it
	ID   string // of the kernel
}

// ErrFixed says that a notebook cannot have its kernel, or have another one, because that was fixed when the program
// was started.
var ErrFixed = errors.New("--runtime-id (RUNTIME_ID) names the notebook's kernel")

// FixedKernel is a Fixed that follows its notebook.
type FixedKernel struct {
	mu   sync.Mutex
	set  Fixed
	file string // the notebook's file id, "" before it was opened
}

// NewFixed makes one.
func NewFixed(set Fixed) *FixedKernel { return &FixedKernel{set: set} }

// Of is the id of the kernel that the notebook with the file id and the path is tied to, "" for none.
func (f *FixedKernel) Of(file, path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.set.ID == "" || path != f.set.Path && (f.file == "" || file != f.file) {
		return ""
	}
	f.set.Path, f.file = path, file
	return f.set.ID
}

// At is the same for the notebook at a path, open or not.
func (f *FixedKernel) At(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path != f.set.Path {
		return ""
	}
	return f.set.ID
}

// Moved follows the notebook.
func (f *FixedKernel) Moved(from, to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.set.Path == from {
		f.set.Path = to
	}
}

// LookUp looks up the fixed kernel of the notebook at a path; not by its id, which may be no path of the server's. The
// error matches jupyter.ErrNotFound where there is none.
func (f *FixedKernel) LookUp(ctx context.Context, srv *jupyter.Server, path, id string) (jupyter.Kernel, error) {
	all, err := srv.Kernels(ctx)
	if err != nil {
		return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w, and no kernel with the id %q runs on %s (%w): start nbduet with the id of one that runs, or without",
		path, ErrFixed, id, srv.BaseURL(), jupyter.ErrNotFound)
}
