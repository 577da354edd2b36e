package session

import (
	"cmp"
	"errors"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
)

// extension is the server extension that keeps the rooms: jupyter-collaboration or jupyter-server-documents. All
// differences between them are behind this interface, but those of saves, which package filesync knows.
type extension interface {
	// way is how a notebook's cells run; apart tells that its kernels are on another server.
	way(apart bool) run.Way
	// kernels says why a notebook cannot have a kernel, nil if it can.
	kernels(apart bool) error
	// socket says why we may not connect to a notebook's kernel, nil if we may.
	socket(apart bool) error
	// runsCells reports whether the server runs the cells, in the kernel of the notebook's Jupyter session.
	runsCells() bool
	// tellsPath reports whether the room tells when its file gets another path.
	tellsPath() bool
}

// collaboration is jupyter-collaboration, and serverDocuments is jupyter-server-documents.
type (
	collaboration   struct{}
	serverDocuments struct{}
)

// errDocumentsApart says why a server cannot run cells whose kernel is on another server.
var errDocumentsApart = errors.New("jupyter-server-documents, which the notebook's server has, runs the cells itself, in kernels of its own: " +
	"it does not work with kernels of another server (--runtime-url)")

// ErrKernelSocket says why a notebook's kernel can be used only through its cells.
var ErrKernelSocket = textfmt.Fixed("this does not work with jupyter-server-documents: a second connection to a notebook's kernel " +
	"replaces the one of a person's tab, which then gets no answers; put the code into a cell and run it, " +
	"or use a session without a notebook, which has its own kernel")

// way is how a notebook's cells run.
func (collaboration) way(bool) run.Way { return run.Way{By: run.Kernel} }

func (collaboration) kernels(bool) error { return nil }

func (collaboration) socket(bool) error { return nil }

func (collaboration) runsCells() bool { return false }

func (collaboration) tellsPath() bool { return true }

// way is how a notebook's cells run.
func (d serverDocuments) way(apart bool) run.Way {
	return run.Way{By: run.Documents, Refusal: d.kernels(apart)}
}

func (serverDocuments) kernels(apart bool) error {
	if apart {
		return errDocumentsApart
	}
	return nil
}

func (d serverDocuments) socket(apart bool) error { return cmp.Or(d.kernels(apart), ErrKernelSocket) }

func (serverDocuments) runsCells() bool { return true }

func (serverDocuments) tellsPath() bool { return false }
