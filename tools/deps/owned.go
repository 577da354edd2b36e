package deps

import (
	"context"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
)

// An OwnedNotebook is one of a client's open notebooks, with the session in its address.
type OwnedNotebook struct {
	Session string // an analysis session's id, or the client's own if it was opened by path only
	Doc     *session.Document
	Last    uint64 // order of the client's last use
}

// OwnedNotebooks lists the open notebooks that the client of ctx may read, by path. It does not count as a use of them.
func (d *Deps) OwnedNotebooks(ctx context.Context) []OwnedNotebook {
	client := tool.ClientOf(ctx)
	analyses := d.Analyses.List(client)
	var out []OwnedNotebook
	for _, doc := range d.Manager.Notebooks() {
		v, used := d.Opened.Of(client, doc.FileID())
		owned := false
		for _, a := range analyses {
			if a.NotebookPath() == doc.Path() {
				out, owned = append(out, OwnedNotebook{a.ID(), doc, v.Last}), true
			}
		}
		if used && v.ByPath && !owned {
			out = append(out, OwnedNotebook{render.ImageOwner(ctx), doc, v.Last})
		}
	}
	return out
}

// CurrentNotebook returns the open notebook that the client of ctx used last.
func (d *Deps) CurrentNotebook(ctx context.Context) (OwnedNotebook, bool) {
	var latest OwnedNotebook
	for _, o := range d.OwnedNotebooks(ctx) {
		if latest.Doc == nil || o.Last > latest.Last {
			latest = o
		}
	}
	return latest, latest.Doc != nil
}

// WorkIn notes that the client of ctx uses an analysis session's notebook.
func (d *Deps) WorkIn(ctx context.Context, a *analysis.Session) {
	for _, doc := range d.Manager.Notebooks() {
		if doc.Path() == a.NotebookPath() {
			d.Opened.Note(ctx, doc, false)
		}
	}
}

// VisibleKernels returns the running kernels that list lists, except those started only for clients other than that of ctx.
func (d *Deps) VisibleKernels(ctx context.Context, list func(context.Context) ([]jupyter.Kernel, error)) ([]jupyter.Kernel, error) {
	kernels, err := list(ctx)
	if err != nil {
		return nil, err
	}
	others, err := d.Manager.Owners().Others(ctx, tool.ClientOf(ctx))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(kernels, func(k jupyter.Kernel) bool { return others[k.ID] }), nil
}
