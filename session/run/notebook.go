package run

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// Notebook is what is needed of the open notebook whose cells are run.
type Notebook interface {
	output.Notebook // an error of Edit matches Unconfirmed where nobody knows whether the room has the edit
	// Settled returns when the room has every edit made here before.
	Settled(ctx context.Context) error
	// Joined is the room as it is joined now.
	Joined() Joined
	// Hold counts who needs the document open: so many more, or fewer.
	Hold(n int)

	// Way is how the cells are run.
	Way() Way
	// Link is the connection to the notebook's kernel.
	Link() *kernel.Link
	// Interrupt stops what the notebook's kernel is doing.
	Interrupt(ctx context.Context) error
	// Session finds the notebook's Jupyter session, with its kernel, or has it started.
	Session(ctx context.Context) (jupyter.Session, error)
	// Reattach connects the room to its kernel's new process, where the server runs the cells.
	Reattach(ctx context.Context, s jupyter.Session)
	// Servers are where the notebook and the kernel are.
	Servers() *kernel.Servers
}

// Joined is a notebook's room as it was joined once. When it is lost another one takes its place, with a replica of its
// own.
type Joined struct {
	Room     Room
	Notebook *ydoc.Notebook
}

// Room is what is needed of the room of a notebook.
type Room interface {
	ID() string
	Barrier(ctx context.Context) error
	Err() error
}

// Unconfirmed is matched, with [errors.As], by the error of an edit that the room has not confirmed in time. The edit is
// made here, and goes to the room when it can.
type Unconfirmed interface {
	error
	Unconfirmed()
}
