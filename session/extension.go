package session

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/ydoc"
)

// extension is what a Jupyter server keeps the rooms of documents with: jupyter-collaboration, or
// jupyter-server-documents. What is different between them is asked here alone.
type extension interface {
	// way is how the cells of a notebook are run; apart where its kernels are on another server.
	way(execute run.Execute, apart bool) run.Way
	// kernels says why a notebook cannot have a kernel, nil where it can.
	kernels(apart bool) error
	// socket says why no connection to a notebook's kernel may be opened, nil where it may.
	socket(apart bool) error
	// runsCells reports whether it is the server that runs the cells, in the kernel of the notebook's Jupyter session.
	runsCells() bool
	// look compares the file with the document at a revision, and says what is wrong with it; whole where nobody has
	// edited since a save was asked for.
	look(ctx context.Context, s *saver, lv *live, revision ydoc.Revision, whole bool) string
	// forgotten is what is said of edits that were confirmed in this room and are missing in the next.
	forgotten() string
	// findPath looks for the path of a document's file where the room does not say it.
	findPath(ctx context.Context, d *Document, lv *live)
}

// errServerApart and errDocumentsApart are why cells cannot be run by a server that has not got their kernel.
var (
	errServerApart = errors.New("not run: with --execute server the server that has the notebook runs its cells, in kernels of its own; " +
		"the kernels here are on another server (--runtime-url), so leave --execute at auto")
	errDocumentsApart = errors.New("jupyter-server-documents, which the notebook's server has, runs the cells itself, in kernels of its own: " +
		"it does not work with kernels of another server (--runtime-url)")
)

// ErrKernelSocket is what is said to who wants to talk to a notebook's kernel beside its cells.
var ErrKernelSocket error = fixedError("this does not work with jupyter-server-documents: a second connection to a notebook's kernel " +
	"takes the place of the one that a person's tab has, which then gets no answers; put the code into a cell and run it, " +
	"or use a session without a notebook, which has a kernel of its own")

// way is how the cells of a notebook are run.
func (collaboration) way(execute run.Execute, apart bool) run.Way {
	switch {
	case execute == run.ExecuteServer && apart:
		return run.Way{By: run.Nbmodel, Refusal: errServerApart}
	case execute == run.ExecuteServer:
		return run.Way{By: run.Nbmodel}
	}
	return run.Way{By: run.Kernel}
}

func (collaboration) kernels(bool) error { return nil }

func (collaboration) socket(bool) error { return nil }

func (collaboration) runsCells() bool { return false }

func (collaboration) forgotten() string { return noteForgotten }

func (collaboration) findPath(context.Context, *Document, *live) {}

// way is how the cells of a notebook are run.
func (serverDocuments) way(_ run.Execute, apart bool) run.Way {
	if apart {
		return run.Way{By: run.Documents, Refusal: errDocumentsApart}
	}
	return run.Way{By: run.Documents}
}

func (serverDocuments) kernels(apart bool) error {
	if apart {
		return errDocumentsApart
	}
	return nil
}

func (serverDocuments) socket(apart bool) error {
	if apart {
		return errDocumentsApart
	}
	return ErrKernelSocket
}

func (serverDocuments) runsCells() bool { return true }

func (serverDocuments) forgotten() string { return noteJoinedAfresh }

func (serverDocuments) findPath(ctx context.Context, d *Document, lv *live) { d.follow(ctx, lv) }
