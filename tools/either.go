package tools

import (
	"errors"
	"fmt"
	"math"
)

// eitherSchema is the result of a tool that answers in a session of its own as this program does, and without one as
// their server does.
func eitherSchema() schema {
	return schema{{"type", "object"}, {"anyOf", []schema{codeSchema(), outputsSchema()}}}
}

// either are the options of a tool that runs code with or without a session.
type either struct {
	codeOptions
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
func (o either) used() usedRun {
	u := usedRun{Interval: o.Interval}
	if o.Timeout != nil {
		whole := int(math.Ceil(*o.Timeout))
		u.Timeout = &whole
	}
	return u
}

// codeProperties describe codeOptions, and what there is of usedRun. usual is their server's timeout.
func codeProperties(usual int) []property {
	return []property{
		optional("timeout", described("number", fmt.Sprintf("Seconds to wait. In a session, code that takes longer goes on, and is answered with what it has put out so far; left out is %v. "+
			"Without one it is interrupted; 0 is %d, left out %d.", defaultCodeTimeout, usualTimeout, secondsOf(nil, usual))).
			with("minimum", 0).with("maximum", maxTimeout)),
		optional("maxOutputSize", integer("Most characters of all output together.").between(1, maxOutputSize).def(defaultCodeSize)),
		optional("interrupt_on_cancel", boolean("Whether cancelling this call stops the code. If false it goes on.").def(true)),
		optional("progress_interval", integer("Without a session: seconds between two lines on progress.").between(0, longestGiven).def(defaultInterval)),
	}
}
