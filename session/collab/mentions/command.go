package mentions

import "strings"

// A Command is what a call asks of this program itself, and not of a model.
type Command int

// The commands. A command counts for its author alone: another person's stays.
const (
	NoCommand Command = iota
	// HandsOff: no agent writes in the cell.
	HandsOff
	// HandsOffNotebook: nor anywhere in the notebook.
	HandsOffNotebook
	// GoOn lifts both.
	GoOn
)

// commandOf is the command that a call is; a sentence that only begins like a command is not a command.
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
