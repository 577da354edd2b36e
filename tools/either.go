package tools

import (
	"errors"
	"fmt"
	"math"

	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/datalayer"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
)

// eitherSchema is the result schema of a tool that answers calls with a session in this program's format, and calls without
// one in that of Datalayer's server.
func eitherSchema() tool.Schema {
	return tool.EitherOf(tool.DocumentResultOf[analysis.CodeResult](nil), datalayer.Outputs())
}

// inSessionOrNot is the argument of a tool that works with a session or without one.
type inSessionOrNot struct{ analysis.InSession }

// Refine implements tool.Refiner.
func (inSessionOrNot) Refine(f tool.Fields) {
	f.Optional("session_id")
	f.Field("session_id").Null()
}

// either has the options of a tool that runs code with a session or without one.
type either struct {
	analysis.CodeOptions
	Interval *int `json:"progress_interval,omitempty" jsonschema:"Without a session: seconds between two progress lines." validate:"max=1000000" default:"5"`
}

// Refine implements tool.Refiner.
func (either) Refine(f tool.Fields) {
	f.Field("timeout").Limit(0, notebook.MaxTimeout)
}

// sayTimeout describes the timeout. usual is the default without a session.
func sayTimeout(f tool.Fields, usual int) {
	f.Field("timeout").Say(fmt.Sprintf("Seconds to wait. In a session (default %v), code that takes longer continues, and the call returns its output so far. "+
		"Without a session (default %d; 0 is %d) it is interrupted.", analysis.DefaultCodeTimeout, datalayer.SecondsOf(nil, usual), datalayer.UsualTimeout))
}

// check refuses, for a call with a session, options that only apply without one.
func (o either) check() error {
	if o.Timeout != nil && *o.Timeout == 0 {
		return errors.New("timeout is 0: in a session it must be positive")
	}
	return nil
}

// used returns the same options for a call without a session.
func (o either) used() datalayer.UsedRun {
	u := datalayer.UsedRun{Interval: o.Interval}
	if o.Timeout != nil {
		u.Timeout = new(int(math.Ceil(*o.Timeout)))
	}
	return u
}
