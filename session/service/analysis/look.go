package analysis

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Look calls do with the kernel of a notebook, as a session that exists only for the call, is not listed, and does not
// count for the limit. It starts no kernel: the error matches ErrNoSession if the notebook has none.
func (t *Table) Look(ctx context.Context, owner string, path jupyter.Path, do func(*Session) error) error {
	found, path, err := t.findKernel(ctx, owner, path, "")
	if err != nil {
		return err
	}
	a := t.newSession(owner, "")
	defer a.end()
	a.path, a.kernelID, a.spec = path, found.ID, found.Name
	return do(a)
}
