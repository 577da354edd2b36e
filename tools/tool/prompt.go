package tool

import (
	"context"
	"slices"
	"strings"
)

// A Prompt starts a piece of work that a person chooses in the host's menu.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	// toolsets are those of which one has to be on; none where it is always there.
	Toolsets []string
	// text is what the model is told, with the arguments that were given.
	Text func(ctx context.Context, args map[string]string) (string, error)
}

type PromptArgument struct {
	Name, Description string
	Required          bool
	// complete gives the values to choose from.
	Complete func(ctx context.Context, written string, given map[string]string) []string
	// blank: where it is required, it may be given empty.
	Blank bool
}

// On tells whether the prompt is offered.
func (p Prompt) On(toolsets []string) bool {
	return len(p.Toolsets) == 0 || slices.ContainsFunc(p.Toolsets, func(name string) bool { return slices.Contains(toolsets, name) })
}

// Lacks tells whether the argument has to be given and is not.
func (a PromptArgument) Lacks(args map[string]string) bool {
	value, given := args[a.Name]
	return a.Required && (!given || (!a.Blank && strings.TrimSpace(value) == ""))
}
