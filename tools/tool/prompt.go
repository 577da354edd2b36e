package tool

import (
	"context"
	"slices"
	"strings"
)

// A Prompt starts a task that a person chose in the host's menu.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	// Toolsets are the toolsets that offer the prompt; one has to be on. A prompt without toolsets is always offered.
	Toolsets []string
	// Text returns the text for the model, for the given arguments. An error about one of them is an [ArgumentError].
	Text func(ctx context.Context, args map[string]string) (string, error)
}

// A PromptArgument is an argument that a person gives to a prompt.
type PromptArgument struct {
	Name, Description string
	Required          bool
	// Complete returns the values to choose from.
	Complete func(ctx context.Context, written string, given map[string]string) []string
	// Blank allows a required argument to be empty.
	Blank bool
}

// On reports whether the prompt is offered.
func (p Prompt) On(toolsets []string) bool {
	return len(p.Toolsets) == 0 || slices.ContainsFunc(p.Toolsets, func(name string) bool { return slices.Contains(toolsets, name) })
}

// Lacks reports whether the argument is required and missing.
func (a PromptArgument) Lacks(args map[string]string) bool {
	value, given := args[a.Name]
	return a.Required && (!given || (!a.Blank && strings.TrimSpace(value) == ""))
}

// An ArgumentError means that a prompt cannot be built from a person's arguments.
type ArgumentError struct{ Err error }

func (e ArgumentError) Error() string { return e.Err.Error() }
func (e ArgumentError) Unwrap() error { return e.Err }
