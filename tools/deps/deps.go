package deps

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/chatwatch"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
	"github.com/nbduet/nbduet/ydoc"
)

// Deps is the state that all tools share.
type Deps struct {
	Work
	Images *render.ImageStore
	Opened opened
	// Pieces records how far clients have read texts.
	Pieces Pieces
	Looks  Looks
	// ReadOnly says that an answer must not run code or start a kernel.
	ReadOnly bool
	waiting.Waits
}

// New makes a Deps. See [render.NewImageStore] for store and the limits of images.
func New(work *Work, store *images.Store, maxImages, maxImageBytes int) *Deps {
	pictures := render.NewImageStore(store, maxImages, maxImageBytes)
	d := &Deps{Images: pictures}
	if work != nil {
		d.Work = *work
		pictures.Plots.Draw = (&sketcher{Deps: d}).draw
	}
	return d
}

// Forget drops a client's state: its opened notebooks and the images of its sessions.
func (d *Deps) Forget(client string, sessions []string) {
	d.Images.Store.Forget(sessions...)
	d.Opened.clients.Forget(client)
	d.Pieces.clients.Forget(client)
}

// About makes doc the subject of an answer; nil if doc is nil.
func About(doc *session.Document) tool.Document {
	if doc == nil {
		return nil
	}
	return doc
}

// Open joins the room of the notebook that a call names, or uses the one already open. The caller releases it.
func (d *Deps) Open(ctx context.Context, path string) (*session.Document, error) {
	clean, err := target.NotebookArg("path", path)
	if err != nil {
		return nil, err
	}
	return d.OpenAt(ctx, clean)
}

// OpenAt is Open for a notebook at a path, or at the decoded path if it is percent-encoded.
func (d *Deps) OpenAt(ctx context.Context, path jupyter.Path) (*session.Document, error) {
	doc, err := target.Find(ctx, path, d.Manager.Open)
	if errors.Is(err, jupyter.ErrNotFound) {
		return nil, target.Absent(path, "no notebook %q on the Jupyter server: paths are relative to its root folder"+textfmt.Hint("; list_nbs lists the notebooks")+"%s", path, target.WhyMissing(path))
	}
	if err != nil {
		return nil, unreadable(ctx, d.Files, path, err)
	}
	d.Opened.Note(ctx, doc, true)
	return doc, nil
}

// unreadable says which line of a notebook that cannot be read is wrong, and what to do.
func unreadable(ctx context.Context, f *files.Files, path jupyter.Path, err error) error {
	err = f.Broken(ctx, path, err)
	if errors.As(err, new(*files.BrokenError)) {
		return fmt.Errorf("%w"+textfmt.Hint(". get_document_content shows its file as text, and overwrite_document writes it repaired"), err)
	}
	return err
}

// ContentsFor returns the contents of outputs for the answer of a call, see [render.ContentsFor].
func (d *Deps) ContentsFor(ctx context.Context, outputs []ydoc.Output) render.Contents {
	return render.ContentsFor(ctx, outputs, d.figures())
}

// figures returns the known facts about the figures shown before; nil without a manager.
func (d *Deps) figures() *figure.Known {
	if d.Manager == nil {
		return nil
	}
	return d.Manager.RunTable().Figures()
}

// Walk calls [files.Walk] on the document server; folders may come from a cache, see package listcache. It reports progress
// to the call's client.
func (d *Deps) Walk(ctx context.Context, s files.Search) ([]jupyter.Content, files.WalkNote, error) {
	s.Tell = func(folders, found int) {
		tool.Progress(ctx, float64(folders), textfmt.Plural(folders, "folder")+" listed, "+textfmt.Plural(found, s.What)+" found")
	}
	return files.Walk(ctx, d.Manager.Servers().Lists, s)
}

// Work is the state that tools operate on: a manager's documents, analysis sessions, files, helper kernels and chats.
// Closing the manager closes all of it. Make only one for a manager.
type Work struct {
	*session.Manager
	Analyses *analysis.Table
	Files    *files.Files
	Helper   *filepreview.Helper
	Chats    *chatwatch.Chats
}

// NewWork makes the one Work of a manager.
func NewWork(m *session.Manager) *Work {
	return &Work{Manager: m, Analyses: analysis.New(m), Files: files.New(m), Helper: filepreview.New(m), Chats: chatwatch.New(m)}
}

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
