package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// The MCP library can check arguments too. It is not asked to, because it passes over a schema that does not compile
// and words its refusals for programmers; what reads these is a model that has to do better on its next call.

// Compile makes a validator of a schema. A schema that does not compile is a mistake of this package.
func Compile(name string, s Schema) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Raw()))
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	url := "mem:///" + name + ".json"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("register the schema of %s: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of %s: %w", name, err)
	}
	return compiled, nil
}

// CheckArguments returns what is wrong with a call's arguments, nil when nothing is.
func CheckArguments(s *jsonschema.Schema, args any) error {
	if args == nil {
		args = map[string]any{}
	}
	err := s.Validate(args)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("the arguments cannot be checked: %w", err)
	}
	var found []string
	for _, leaf := range leaves(invalid, nil) {
		if !leftToTool(leaf) {
			found = append(found, complaint(leaf, args))
		}
	}
	const most = 5
	switch {
	case len(found) == 0:
		return nil
	case len(found) > most:
		found = append(found[:most], Plural(len(found)-most, "further mistake"))
	}
	return errors.New("invalid arguments: " + strings.Join(found, "; "))
}

func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, cause := range e.Causes {
		out = leaves(cause, out)
	}
	return out
}

// leftToTool tells whether the tool itself will refuse this with a better message: of a negative cell index it can
// say how many cells there are.
func leftToTool(e *jsonschema.ValidationError) bool {
	k, ok := e.ErrorKind.(*kind.Minimum)
	if !ok || len(e.InstanceLocation) == 0 || k.Got.Cmp(big.NewRat(-MaxIndex, 1)) < 0 {
		return false
	}
	return slices.Contains([]string{"start", "end", "position"}, e.InstanceLocation[len(e.InstanceLocation)-1])
}

// complaint words one violation: where, what was given, what is wanted.
func complaint(e *jsonschema.ValidationError, args any) string {
	at := place(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		if at == "" {
			return "the required argument " + QuotedList(k.Missing) + " is missing"
		}
		return at + " lacks " + QuotedList(k.Missing)
	case *kind.AdditionalProperties:
		of := "this tool"
		if at != "" {
			of = at
		}
		return of + " has no argument " + QuotedList(k.Properties)
	case *kind.Type:
		return fmt.Sprintf("%s is %s, wanted %s", subject(at), shown(e.InstanceLocation, args), strings.Join(k.Want, " or "))
	case *kind.Minimum:
		return fmt.Sprintf("%s is %s, the least allowed is %s", subject(at), number(k.Got), number(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is %s, the most allowed is %s", subject(at), number(k.Got), number(k.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("%s is %s, it must be more than %s", subject(at), number(k.Got), number(k.Want))
	case *kind.MinItems:
		return fmt.Sprintf("%s is a list of %d, at least %d needed", subject(at), k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("%s is a list of %s, at most %s allowed in one call", subject(at), Thousands(k.Got), Thousands(k.Want))
	case *kind.MinLength:
		return fmt.Sprintf("%s has %s, at least %d needed", subject(at), Plural(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%s has %s, at most %s allowed", subject(at), Plural(k.Got, "character"), Thousands(k.Want))
	case *kind.Enum:
		return fmt.Sprintf("%s is %s, wanted one of %s", subject(at), shown(e.InstanceLocation, args), QuotedList(k.Want))
	default:
		return fmt.Sprintf("%s is %s, which the input schema of this tool does not allow", subject(at), shown(e.InstanceLocation, args))
	}
}

func subject(at string) string {
	if at == "" {
		return "the argument object"
	}
	return at
}

// place writes a location as a programmer would: ranges[0].start.
func place(location []string) string {
	var b strings.Builder
	for i, seg := range location {
		switch {
		case seg != "" && strings.Trim(seg, "0123456789") == "":
			b.WriteString("[" + seg + "]")
		case i == 0:
			b.WriteString(seg)
		default:
			b.WriteString("." + seg)
		}
	}
	return b.String()
}

// shown is the value at a location, short enough for a message.
func shown(location []string, args any) string {
	v := args
	for _, seg := range location {
		switch c := v.(type) {
		case map[string]any:
			v = c[seg]
		case []any:
			i, err := strconv.Atoi(seg)
			if err != nil || i >= len(c) {
				return "of another kind"
			}
			v = c[i]
		}
	}
	switch v := v.(type) {
	case string:
		return "the string " + Quoted(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return "of another kind"
		}
		return string(b)
	}
}

func QuotedList[T any](values []T) string {
	var out []string
	for _, v := range values {
		out = append(out, Quoted(fmt.Sprint(v)))
	}
	return strings.Join(out, ", ")
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// decodeArguments puts checked arguments into dst.
func decodeArguments(req mcp.CallToolRequest, dst any) error {
	var b []byte
	switch args := req.Params.Arguments.(type) {
	case nil:
		b = []byte("{}")
	default:
		var err error
		if b, err = json.Marshal(args); err != nil {
			return fmt.Errorf("invalid arguments: %w", err)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(dst); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}
