package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The MCP library can check arguments too, but it ignores a schema that does not compile, and its errors are written for
// programmers. These errors are for a model that has to correct its next call.

// Compile returns a validator for the schema of the tool name. A schema that does not compile is a mistake in this program.
func (s Schema) Compile(name string) (*jsonschema.Resolved, error) {
	compiled, err := s.schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of %s: %w", name, err)
	}
	return compiled, nil
}

// Arguments returns the arguments of a call in the form that the tool's schema describes, or an error. All tools' arguments
// pass through it: null for an optional argument omits it, and a number, a boolean, a list or an object may be given as a
// string where no string is allowed.
func Arguments(s *jsonschema.Resolved, args any) (any, error) {
	if args == nil {
		args = map[string]any{}
	}
	if _, ok := args.(map[string]any); ok {
		args = understood(s.Schema(), args)
	}
	return args, check(s, args)
}

// check returns an error if arguments do not match the schema.
func check(s *jsonschema.Resolved, args any) error {
	err := s.Validate(args)
	if err == nil {
		return nil
	}
	var c complaints
	c.look(s.Schema(), args, nil)
	const most = 5
	switch {
	case len(c.found) == 0 && c.left:
		return nil
	case len(c.found) == 0:
		return fmt.Errorf("invalid arguments: %w", err)
	case len(c.found) > most:
		c.found = append(c.found[:most], textfmt.Plural(len(c.found)-most, "further mistake"))
	}
	return errors.New("invalid arguments: " + strings.Join(c.found, "; "))
}

// ValueOr returns the value of an optional argument, or otherwise if the call omits it.
func ValueOr[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// decodeArguments decodes checked arguments into dst.
func decodeArguments(req mcp.CallToolRequest, dst any) error {
	args := req.Params.Arguments
	if args == nil {
		args = struct{}{}
	}
	b, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(dst); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}
