package python

import (
	"errors"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

// IO and the others are those of package cells.
type (
	IO      = cells.IO
	Display = cells.Display
	Error   = cells.Error
	Request = cells.Request
	Outcome = cells.Outcome
)

// The errors of [IO.Input].
var (
	ErrNoStdin    = cells.ErrNoStdin
	ErrEndOfInput = errors.New("python: the input has ended")
)
