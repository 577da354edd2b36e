package run

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// Notebook is the open notebook whose cells are run, as used by this package.
type Notebook interface {
	output.Notebook // an error of Edit matches Unconfirmed if the room may lack the edit
	// Settled returns when the room has all our earlier edits.
	Settled(ctx context.Context) error
	// Joined returns the room as currently joined.
	Joined() Joined
	// FileID returns the server's id of the file.
	FileID() string
	// Hold adds n to the number of users who need the document open.
	Hold(n int)

	// Served notes that the server runs a cell for a client, and writes its outputs, until end is called.
	Served(cell, client string) (end func())

	// Way returns how the cells are run.
	Way() Way
	// Link returns the connection to the notebook's kernel.
	Link() *kernel.Link
	// KernelState returns the state of the notebook's kernel, "" without a kernel; it does not start one.
	KernelState(ctx context.Context) (string, error)
	// Others returns the other clients in the room, as far as they are known.
	Others() []uint64
	// Interrupt interrupts the notebook's kernel.
	Interrupt(ctx context.Context) error
	// Session finds or starts the notebook's Jupyter session, with its kernel.
	Session(ctx context.Context) (jupyter.Session, error)
	// Reattach connects the room to its kernel's new process, if the server runs the cells.
	Reattach(ctx context.Context, s jupyter.Session)
	// Servers returns the servers of the notebook and the kernel.
	Servers() *kernel.Servers
}

// Joined is one joining of a notebook's room. When the room is lost, another one with its own replica replaces it.
type Joined struct {
	Room     Room
	Notebook *ydoc.Notebook
}

// Room is a notebook's room, as used by this package.
type Room interface {
	ID() string
	Barrier(ctx context.Context) error
	Err() error
}

// Unconfirmed is matched, with [errors.As], by the error of an edit that the room has not confirmed in time. Our replica
// has the edit, which reaches the room when possible.
type Unconfirmed interface {
	error
	Unconfirmed()
}
