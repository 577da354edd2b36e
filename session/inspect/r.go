package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

//go:embed r/*.R
var rFiles embed.FS

// rSources are the sources of each kind of inspection; each defines the function inspection.
var rSources = map[string]string{
	askList:   sourceOf(rFiles, "r/common.R", "r/list.R"),
	askDetail: sourceOf(rFiles, "r/common.R", "r/path.R", "r/table.R", "r/detail.R"),
	askFrame:  sourceOf(rFiles, "r/common.R", "r/path.R", "r/table.R", "r/frame.R"),
}

// A PayloadKernel gives what a reply's payload holds, which is for who asked alone: IRkernel evaluates no user
// expressions, and says nothing else of a silent execution.
type PayloadKernel interface {
	// Payload runs code silently and returns the payload of the kernel's reply (Jupyter messaging, "Payloads").
	Payload(ctx context.Context, code string) ([]map[string]any, error)
}

// rInspection asks IRkernel.
func rInspection(ctx context.Context, k PayloadKernel, source string, question map[string]any) (json.RawMessage, error) {
	code, err := rExpression(source, question)
	if err != nil {
		return nil, err
	}
	payload, err := k.Payload(ctx, code)
	if err != nil {
		return nil, err
	}
	for _, p := range payload {
		if text, ok := p["answer"].(string); ok && p["source"] == "nbduet.inspection" && json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
	}
	return nil, errors.New("the kernel answers the inspection with nothing: it may not be IRkernel")
}

// rExpression is one expression on one line, all in ASCII so that it means the same in any locale. It uses no name of
// the user's but `::`, defines none, and its value is invisible.
func rExpression(source string, question map[string]any) (string, error) {
	var asked []string
	for _, name := range slices.Sorted(maps.Keys(question)) {
		value, err := rLiteral(question[name])
		if err != nil {
			return "", fmt.Errorf("write the question: %s: %w", name, err)
		}
		asked = append(asked, name+" = "+value)
	}
	source += "answer(inspection)\n"
	return "base::invisible(base::eval(base::parse(text = " + rString(source) + ", keep.source = FALSE), " +
		"base::list2env(base::list(question = base::list(" + strings.Join(asked, ", ") + ")), parent = base::baseenv())))", nil
}

func rLiteral(v any) (string, error) {
	return literal(v, "R", func(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }, rString)
}

// rString is an R string literal in ASCII. NUL, which R has no form of, is replaced.
func rString(s string) string {
	return asciiString(strings.ReplaceAll(s, "\x00", "\uFFFD"), `"\`)
}

// checkRName checks that name is a name of R, such as df or my.data, or a path of them with $ or @ between. The error is
// a *NameError.
func checkRName(name string) error {
	if err := checkLength(name); err != nil {
		return err
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(name, "@", "$"), "$") {
		if part == "" {
			return &NameError{name, "a part of it is empty"}
		}
		for i, r := range part {
			goesOn := r == '.' || r == '_' || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc)
			if !unicode.IsLetter(r) && (!goesOn || i == 0 && r != '.') {
				return &NameError{name, fmt.Sprintf("%q cannot stand there", r)}
			}
		}
	}
	return nil
}
