package mentions

import "strings"

// A Command is a call that this program itself carries out, rather than a model.
type Command int

// The commands. A command counts only for its author: those of other people stay in force.
const (
	NoCommand Command = iota
	// HandsOff forbids agents to write in the cell.
	HandsOff
	// HandsOffNotebook forbids agents to write in the notebook.
	HandsOffNotebook
	// GoOn lifts both.
	GoOn
)

// commandOf returns the command in a call. A sentence that only begins like a command is not a command.
func commandOf(says string) Command {
	s := strings.ToLower(strings.Join(strings.Fields(strings.Trim(says, " .!,;:")), " "))
	s = strings.TrimPrefix(strings.TrimSuffix(s, " please"), "please ")
	switch s {
	case "hands off", "hands-off", "hands off this cell", "hands off the cell", "hands off this":
		return HandsOff
	case "hands off this notebook", "hands off the notebook", "hands-off this notebook":
		return HandsOffNotebook
	case "go on":
		return GoOn
	}
	return NoCommand
}
