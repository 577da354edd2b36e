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

// eitherSchema is the result of a tool that answers in a session of its own as this program does, and without one as
// their server does.
func eitherSchema() tool.Schema {
	return tool.EitherOf(tool.DocumentResultOf[analysis.CodeResult](nil), datalayer.Outputs())
}

// inSessionOrNot is the argument of a tool that works in a session or without one.
type inSessionOrNot struct{ analysis.InSession }

// Refine implements tool.Refiner.
func (inSessionOrNot) Refine(f tool.Fields) {
	f.Optional("session_id")
	f.Field("session_id").Null()
}

// either are the options of a tool that runs code with or without a session.
type either struct {
	analysis.CodeOptions
	Interval *int `json:"progress_interval,omitempty" jsonschema:"Without a session: seconds between two lines on progress."`
}

// Refine implements tool.Refiner.
func (either) Refine(f tool.Fields) {
	f.Field("timeout").Limit(0, notebook.MaxTimeout)
	f.Field("progress_interval").Limit(0, datalayer.LongestGiven).Default(datalayer.DefaultInterval)
}

// sayTimeout describes the timeout. usual is their server's.
func sayTimeout(f tool.Fields, usual int) {
	f.Field("timeout").Say(fmt.Sprintf("Seconds to wait. In a session, code that takes longer goes on, and is answered with what it has put out so far; left out is %v. "+
		"Without one it is interrupted; 0 is %d, left out %d.", analysis.DefaultCodeTimeout, datalayer.UsualTimeout, datalayer.SecondsOf(nil, usual)))
}

// check refuses what means something without a session only.
func (o either) check() error {
	if o.Timeout != nil && *o.Timeout == 0 {
		return errors.New("timeout is 0, it must be more than 0 in a session")
	}
	return nil
}

// used are the same options for a call without a session.
func (o either) used() datalayer.UsedRun {
	u := datalayer.UsedRun{Interval: o.Interval}
	if o.Timeout != nil {
		whole := int(math.Ceil(*o.Timeout))
		u.Timeout = &whole
	}
	return u
}
