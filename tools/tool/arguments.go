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

// The MCP library can check arguments too, but it ignores a schema that does not compile, and words its errors for
// programmers. These errors are read by a model that has to do better on its next call.

// Compile makes a validator of the schema of the tool name. A schema that does not compile is a mistake of this
// program.
func (s Schema) Compile(name string) (*jsonschema.Resolved, error) {
	compiled, err := s.schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of %s: %w", name, err)
	}
	return compiled, nil
}

// Arguments returns the arguments of a call as the tool's schema means them, or says what is wrong with them. All tools'
// arguments come through here: null for an optional argument leaves it out, and a number, a boolean, a list or an object may
// be written as a text where no text is allowed.
func Arguments(s *jsonschema.Resolved, args any) (any, error) {
	if args == nil {
		args = map[string]any{}
	}
	if _, ok := args.(map[string]any); ok {
		args = understood(s.Schema(), args)
	}
	return args, check(s, args)
}

// check returns what is wrong with arguments, nil if nothing is.
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

// ValueOr returns the value of an optional argument, and otherwise if the call leaves it out.
func ValueOr[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// decodeArguments puts checked arguments into dst.
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
