package deps

import (
	"context"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

// InNotebook is [tool.Typed] for a tool that works in the notebook at the path that its arguments name. The notebook is
// open while answer runs.
func InNotebook[A interface{ Notebook() string }](d *Deps, answer func(context.Context, *session.Document, A) (*tool.Answer, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		doc, err := d.Open(ctx, args.Notebook())
		if err != nil {
			return nil, err
		}
		defer doc.Release()
		return answer(ctx, doc, args)
	})
}
