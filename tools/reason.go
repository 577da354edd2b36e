package tools

import (
	"maps"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/target"
)

// argReason is the argument that says why a call is made.
const argReason = "reason"

// takeReason returns the reason of a call, in one line, and its arguments without it if the tool has no such argument: a
// model that learnt to give a reason for one tool also gives it to others.
func takeReason(s *jsonschema.Schema, given any) (args any, reason string) {
	all, _ := given.(map[string]any)
	value, there := all[argReason]
	if !there {
		return given, ""
	}
	if text, ok := value.(string); ok {
		reason, _ = textfmt.Cut(strings.Join(strings.Fields(textfmt.Plain(text)), " "), target.MaxReason)
	}
	if s.Properties[argReason] != nil {
		return given, reason
	}
	all = maps.Clone(all)
	delete(all, argReason)
	return all, reason
}
