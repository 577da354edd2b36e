package session

import (
	"cmp"
	"errors"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
)

// extension is the server extension that keeps the rooms: jupyter-collaboration or jupyter-server-documents. This interface
// hides all differences between them except those of saves, which package filesync handles.
type extension interface {
	// way returns how a notebook's cells run; apart reports that its kernels are on another server.
	way(apart bool) run.Way
	// kernels returns an error if a notebook cannot have a kernel.
	kernels(apart bool) error
	// socket returns an error if this program must not connect to a notebook's kernel.
	socket(apart bool) error
	// runsCells reports whether the server runs the cells, in the kernel of the notebook's Jupyter session.
	runsCells() bool
	// tellsPath reports whether the room announces a new path of its file.
	tellsPath() bool
}

// collaboration is jupyter-collaboration, and serverDocuments is jupyter-server-documents.
type (
	collaboration   struct{}
	serverDocuments struct{}
)

// errDocumentsApart means that a server cannot run cells whose kernel is on another server.
var errDocumentsApart = errors.New("the notebook's server has jupyter-server-documents, which runs the cells itself, in its own kernels: " +
	"it does not work with kernels of another server (--runtime-url)")

// ErrKernelSocket means that a notebook's kernel can be used only through its cells.
var ErrKernelSocket = textfmt.Fixed("this does not work with jupyter-server-documents: a second connection to a notebook's kernel " +
	"replaces the one of a person's tab, which then gets no answers; put the code into a cell and run it, " +
	"or use a session without a notebook, which has its own kernel")

// way returns how a notebook's cells run.
func (collaboration) way(bool) run.Way { return run.Way{By: run.Kernel} }

func (collaboration) kernels(bool) error { return nil }

func (collaboration) socket(bool) error { return nil }

func (collaboration) runsCells() bool { return false }

func (collaboration) tellsPath() bool { return true }

// way returns how a notebook's cells run.
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
