package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
)

// runUsedCode runs code in a kernel alone, as their server does: in the one with the id, or the current notebook's.
// Nothing of it shows in a notebook.
func (d *theirs) runUsedCode(ctx context.Context, code, kernelID string, w *watch, opt codeOptions) (*answer, error) {
	w.stream, w.first = false, true
	w.take(opt)
	w.timedOut = fmt.Sprintf("[TIMEOUT ERROR: IPython execution exceeded %d seconds and was interrupted]", w.seconds)
	if kernelID == "" {
		doc, _, err := d.openUsed(ctx, "")
		if err != nil {
			if errors.Is(err, errNoCurrent) {
				err = fmt.Errorf("%w; or give kernel_id, or the session_id of an analysis session", err)
			}
			return nil, err
		}
		defer doc.Release()
		k, err := doc.StartKernel(ctx)
		if err != nil {
			return nil, err
		}
		kernelID = k.ID
	}
	a, err := d.manager.AttachKernel(ctx, clientOf(ctx), kernelID)
	if errors.Is(err, session.ErrNoKernel) {
		return nil, theirWords("Kernel '%s' not found in jupyter server: list_kernels shows those that run", kernelID)
	}
	if err != nil {
		return nil, analysisError(err)
	}
	r, err := a.Run(code, session.RunOptions{Ask: asker(ctx)})
	if err != nil {
		return nil, analysisError(err)
	}
	late, err := w.wait(ctx, r)
	if err != nil {
		return nil, err
	}
	s := w.outcome(r, late)
	s.tray = d.gallery.trays(ctx)
	s.from = imagesOfCode(d, r, code)
	out, _, err := s.answer(nil)
	return out, err
}

func imagesOfCode(d *theirs, r *session.Run, code string) images.Origin {
	from := d.gallery.ofCode(r, code)
	from.Count = r.Status().Count
	return from
}
