package datalayer

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

// RunUsedCode runs code in a kernel without a cell, as their server does: in the kernel with the id, or in the current
// notebook's. No notebook shows the code or its outputs.
func (d *Toolset) RunUsedCode(ctx context.Context, code, kernelID string, w *Watch, opt analysis.CodeOptions) (*tool.Answer, error) {
	w.stream, w.first = false, true
	w.take(opt)
	w.timedOut = fmt.Sprintf("[TIMEOUT ERROR: IPython execution exceeded %d seconds and was interrupted]", w.seconds)
	if kernelID == "" {
		doc, _, err := d.openUsed(ctx, "")
		if err != nil {
			if errors.Is(err, errNoCurrent) {
				err = fmt.Errorf("%w"+textfmt.Hint("; or give kernel_id, or the session_id of an analysis session"), err)
			}
			return nil, err
		}
		defer doc.Release()
		k, err := doc.Kernel().Start(ctx)
		if err != nil {
			return nil, err
		}
		kernelID = k.ID
	}
	r, err := notebook.StartCode(ctx, d.Deps, kernelID, code)
	if deps.IsNoKernel(err) {
		return nil, theirWords("Kernel '%s' not found in jupyter server"+textfmt.Hint(": list_kernels shows the running ones"), kernelID)
	}
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, d.Deps, r, nil, func() waiting.Outcome { return d.OutcomeOfCode(ctx, r, code) })
}
