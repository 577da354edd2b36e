package kernel

import (
	"context"
	"fmt"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
)

// Fixed ties a notebook to a running kernel, and overrides its Jupyter session. The zero value ties nothing.
type Fixed struct {
	Path jupyter.Path // of the notebook
	ID   string       // of the kernel
}

// ErrFixed reports that a notebook's kernel cannot be used or changed, because it was fixed at the program's start.
var ErrFixed = textfmt.Fixed("--runtime-id (RUNTIME_ID) names the notebook's kernel")

// FixedKernel is a Fixed that follows its notebook.
type FixedKernel struct {
	mu   sync.Mutex
	set  Fixed
	file string // the notebook's file id, "" before it was opened
}

// NewFixed returns a FixedKernel for set.
func NewFixed(set Fixed) *FixedKernel { return &FixedKernel{set: set} }

// Of returns the id of the fixed kernel of the notebook with that file id and path, "" for none.
func (f *FixedKernel) Of(file string, path jupyter.Path) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.set.ID == "" || path != f.set.Path && (f.file == "" || file != f.file) {
		return ""
	}
	f.set.Path, f.file = path, file
	return f.set.ID
}

// At is Of for the notebook at a path, open or not.
func (f *FixedKernel) At(path jupyter.Path) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path != f.set.Path {
		return ""
	}
	return f.set.ID
}

// Moved records that the notebook moved.
func (f *FixedKernel) Moved(from, to jupyter.Path) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.set.Path == from {
		f.set.Path = to
	}
}

// LookUp finds the fixed kernel of the notebook at a path in the server's list, because an id may not be valid in a
// URL. The error matches jupyter.ErrNotFound if no kernel has it.
func (f *FixedKernel) LookUp(ctx context.Context, srv *jupyter.Server, path jupyter.Path, id string) (jupyter.Kernel, error) {
	all, err := srv.Kernels.List(ctx)
	if err != nil {
		return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	return jupyter.Kernel{}, fmt.Errorf("find the kernel of %s: %w, but no kernel with the id %q runs on %s (%w): start nbduet with a running kernel's id, or without one",
		path, ErrFixed, id, srv.BaseURL(), jupyter.ErrNotFound)
}
