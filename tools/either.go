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
func eitherSchema() tool.OldSchema {
	return tool.OldSchema{{Name: "type", Value: "object"}, {Name: "anyOf", Value: []tool.OldSchema{analysis.CodeSchema(), datalayer.OutputsSchema()}}}
}

// either are the options of a tool that runs code with or without a session.
type either struct {
	analysis.CodeOptions
	Interval *int `json:"progress_interval"`
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

// codeProperties describe codeOptions, and what there is of usedRun. usual is their server's timeout.
func codeProperties(usual int) []tool.Property {
	return []tool.Property{
		tool.Optional("timeout", tool.Described("number", fmt.Sprintf("Seconds to wait. In a session, code that takes longer goes on, and is answered with what it has put out so far; left out is %v. "+
			"Without one it is interrupted; 0 is %d, left out %d.", analysis.DefaultCodeTimeout, datalayer.UsualTimeout, datalayer.SecondsOf(nil, usual))).
			With("minimum", 0).With("maximum", notebook.MaxTimeout)),
		tool.Optional("maxOutputSize", tool.Integer("Most characters of all output together.").Between(1, notebook.MaxOutputSize).Def(analysis.DefaultCodeSize)),
		tool.Optional("interrupt_on_cancel", tool.Boolean("Whether cancelling this call stops the code. If false it goes on.").Def(true)),
		tool.Optional("progress_interval", tool.Integer("Without a session: seconds between two lines on progress.").Between(0, datalayer.LongestGiven).Def(datalayer.DefaultInterval)),
	}
}
