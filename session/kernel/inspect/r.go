package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

//go:embed r/*.R
var rFiles embed.FS

// rSources are the sources of each kind of inspection; each defines the function inspection.
var rSources = map[string]string{
	askList:   userexpr.Source(rFiles, "r/common.R", "r/list.R"),
	askDetail: userexpr.Source(rFiles, "r/common.R", "r/path.R", "r/table.R", "r/detail.R"),
	askFrame:  userexpr.Source(rFiles, "r/common.R", "r/path.R", "r/table.R", "r/frame.R"),
}

// A PayloadKernel returns a reply's payload, which only the requesting client gets: IRkernel evaluates no user expressions,
// and sends nothing else for a silent execution.
type PayloadKernel interface {
	// Payload runs code silently and returns the payload of the kernel's reply (Jupyter messaging, "Payloads").
	Payload(ctx context.Context, code string) ([]map[string]any, error)
}

// rInspection queries IRkernel.
func rInspection(ctx context.Context, k PayloadKernel, source string, question map[string]any) (json.RawMessage, error) {
	payload, err := k.Payload(ctx, rExpression(source, question))
	if err != nil {
		return nil, err
	}
	for _, p := range payload {
		if text, ok := p["answer"].(string); ok && p["source"] == "nbduet.inspection" && json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
	}
	return nil, errors.New("the kernel's inspection result is empty: it may not be IRkernel")
}

// rExpression returns one expression on one line, all in ASCII so that it means the same in any locale. The only user name
// that it uses is `::`; it defines none, and its value is invisible.
func rExpression(source string, question map[string]any) string {
	asked := literals(question, rLiteral, func(name, value string) string { return name + " = " + value })
	source += "answer(inspection)\n"
	return "base::invisible(base::eval(base::parse(text = " + rString(source) + ", keep.source = FALSE), " +
		"base::list2env(base::list(question = base::list(" + asked + ")), parent = base::baseenv())))"
}

func rLiteral(v any) string {
	return literal(v, func(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }, rString)
}

// rString returns an R string literal in ASCII. NUL, which R cannot represent, is replaced.
func rString(s string) string {
	return asciiString(strings.ReplaceAll(s, "\x00", "\uFFFD"), `"\`)
}

// checkRName checks that name is an R name, such as df or my.data, or a path of them separated by $ or @. The error is a
// *NameError.
func checkRName(name string) error {
	return checkParts(name, "$@", func(r rune, first bool) bool {
		return unicode.IsLetter(r) || r == '.' || !first && (r == '_' || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc))
	})
}
