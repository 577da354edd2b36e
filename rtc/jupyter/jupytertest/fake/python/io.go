package python

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrNoStdin is what [IO.Input] returns where the request does not allow input.
var ErrNoStdin = errors.New("python: no input is allowed")

// ErrEndOfInput is what [IO.Input] returns where the user has ended the input.
var ErrEndOfInput = errors.New("python: the input has ended")

// IO is where a program's output goes, and where its input comes from. Its methods are called by the goroutine that
// runs the program.
type IO interface {
	// Stream writes to "stdout" or "stderr", which may keep the text until Flush.
	Stream(name, text string)
	// Flush sends what a stream has kept.
	Flush(name string)
	Display(Display)
	ClearOutput(wait bool)
	// Result shows the value of a cell.
	Result(data, metadata json.RawMessage)
	// Error shows the exception that has ended the cell.
	Error(Error)
	// Input asks the user for a line. It returns early, with any error, when ctx ends.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a comm_open, comm_msg or comm_close message.
	Comm(kind string, content json.RawMessage, buffers [][]byte)
}

// Display is what a display_data or, for Update, an update_display_data message says. The fields are JSON objects.
type Display struct {
	Data, Metadata, Transient json.RawMessage
	Update                    bool
}

// Error is an exception as a Jupyter message has it.
type Error struct {
	Name, Value string
	Traceback   []string
}

// Request is a cell to run.
type Request struct {
	Code   string
	Silent bool
	// StoreHistory counts the cell.
	StoreHistory bool
	// Expressions are evaluated after a cell that has not failed.
	Expressions map[string]string
	// Begins is called before anything runs, when the cell heeds an interrupt; nil for nothing.
	Begins func()
}

// Outcome is how a cell has ended.
type Outcome struct {
	// Error is the exception that has ended the cell, nil for none.
	Error *Error
	// Count is that of the cell that was counted last, which may be this one.
	Count int
	// Payload are the entries of the reply's payload.
	Payload []json.RawMessage
	// Expressions are the values of those of the request, as the reply has them.
	Expressions map[string]json.RawMessage
	// Killed: the process has ended itself and says nothing more.
	Killed bool
	// Exits: the process ends after this cell.
	Exits bool
}
