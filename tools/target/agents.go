package target

import (
	"errors"
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// agents finds the other agents at a client's cells. The zero value finds none.
type agents struct {
	runs func(path jupyter.Path) []*run.Run
	me   string
	// name returns the name of another client of this program.
	name func(client string) string
}

// at describes each other agent that is running a cell, or has just written in it: "agent X is running".
func (a agents) at(doc *session.Document, cell string) (says []string) {
	if a.runs == nil || doc.Notebook() == nil {
		return nil
	}
	say := func(who, what string) {
		if line := who + " is " + what; !slices.Contains(says, line) {
			says = append(says, line)
		}
	}
	for _, r := range a.runs(doc.Path()) {
		if r.CellID == cell && r.Owner != "" && r.Owner != a.me && !r.Status().State.Ended() {
			say(a.name(r.Owner), "running")
		}
	}
	c, _ := doc.Notebook().Cell(cell)
	runner, _ := doc.Notebook().StateBy(cell)
	lately := doc.History().Lately(cell, time.Now().Add(-editguard.Quiet))
	for _, b := range lately {
		if b.Who.Ours && b.Who.Client != "" && b.Who.Client != a.me {
			say(a.name(b.Who.Client), "editing")
		}
	}
	for _, p := range doc.Company().People {
		for _, at := range p.Places {
			switch {
			case !p.Agent:
			case c.ExecutionState == ydoc.Running && runner == at.Replica:
				say("agent "+p.Name, "running")
			case at.Cell == cell && at.Caret:
				for _, b := range lately {
					if slices.Contains(b.Who.Clients, at.Replica) {
						say("agent "+p.Name, "editing")
					}
				}
			}
		}
	}
	return says
}

// refusedCell returns the cell whose index is named by a refusal for people's sake, "" for none.
func refusedCell(err error) string {
	if busy, ok := errors.AsType[*editguard.BusyError](err); ok && busy.Index >= 0 {
		return busy.Cell
	}
	if off, ok := errors.AsType[*editguard.HandsOffError](err); ok && off.Index >= 0 {
		return off.Cell
	}
	return ""
}

// refusal gives an error for people's sake its code in the format of the tool's other errors.
func refusal(t tool.Tool, err error) error {
	if err == nil || !t.In(tool.ToolsetAnalysis) && !t.In(tool.ToolsetCells) {
		return err
	}
	var off *editguard.HandsOffError
	switch {
	case errors.As(err, new(*editguard.BusyError)):
		return tool.Coded{Code: editguard.CodeBusy, Message: err.Error()}
	case errors.As(err, &off):
		return tool.Coded{Code: off.Kind(), Message: err.Error()}
	case errors.As(err, new(*editguard.SuspectError)):
		return tool.Coded{Code: editguard.CodeSuspect, Message: err.Error()}
	}
	return err
}
