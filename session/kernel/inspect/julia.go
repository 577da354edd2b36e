package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"
	"unicode"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

//go:embed julia/*.jl
var juliaFiles embed.FS

// juliaSource is the source of all kinds of inspection, so that code compiled for one serves the others; it defines the
// function answer.
var juliaSource = userexpr.Source(juliaFiles, "julia/common.jl", "julia/show.jl", "julia/path.jl", "julia/table.jl", "julia/loops.jl", "julia/list.jl", "julia/detail.jl", "julia/frame.jl")

// juliaKinds are the supported kinds.
var juliaKinds = []string{askList, askDetail, askFrame}

// Julia's own modules by syntax alone, without a name: the user may have a variable Base, or may want one later, which
// Julia refuses for a name that has been used. A type variable that is bound at once is Any, of Core, and an empty command
// literal is a Cmd, of Base.
const (
	juliaCore = "(T where T).name.module"
	juliaBase = juliaCore + ".typeof(``).name.module"
)

// juliaNoCode is the code that IJulia evaluates before the expression. Its value becomes ans, so it is ans itself.
const juliaNoCode = juliaCore + ".isdefined(" + juliaCore + ".Main, :ans) ? " + juliaCore + ".Main.ans : " + juliaCore + ".nothing"

// juliaInspection queries IJulia. It sends the source if the kernel does not have it yet.
func juliaInspection(ctx context.Context, k Kernel, kind string, question map[string]any) (json.RawMessage, error) {
	for _, source := range []string{"", juliaSource} {
		expression := juliaExpression(source, kind, question)
		replies, err := k.Evaluate(ctx, juliaNoCode, map[string]string{"inspect": expression})
		if err != nil {
			return nil, err
		}
		text, err := shown(replies["inspect"], "text/plain")
		if err != nil {
			return nil, err
		}
		if source == "" && text == juliaNoSource {
			continue
		}
		if json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
		break
	}
	return nil, errors.New("the kernel's inspection result has an unknown form: it may not be IJulia")
}

// juliaNoSource is the answer if the kernel needs the source.
const juliaNoSource = "no source"

// juliaModule is the name of the source in a kernel.
var juliaModule = func() string {
	h := fnv.New64a()
	h.Write([]byte(juliaSource))
	return "nbduet_inspection_" + strconv.FormatUint(h.Sum64(), 16)
}()

// juliaExpression is one expression whose value, as IJulia shows it, is the answer: Docs.Text shows a text of any length
// unchanged. It defines no name in Main and uses none. The source is evaluated once in a kernel and for each version of it:
// Julia never frees compiled code, and compiling takes most of the first inspection's time.
func juliaExpression(source, kind string, question map[string]any) string {
	asked := literals(question, juliaLiteral, func(name, value string) string { return "B.Pair(" + juliaString(name) + ", " + value + ")" })
	ask := "C.eval(own, C.Expr(:call, :answer, " + juliaString(kind) + ", B.Dict{C.String,C.Any}(" + asked + ")))"
	head := "let C = " + juliaCore + ", B = " + juliaBase + ", home = B.__toplevel__, name = :" + juliaModule + "\n" +
		"own = C.isdefined(home, name) ? C.getfield(home, name) : C.Module(name)\n"
	if source == "" {
		return head + "C.isdefined(home, name) ? " + ask + " : B.Docs.Text(" + juliaString(juliaNoSource) + ")\nend"
	}
	return head + "C.isdefined(home, name) || (B.include_string(own, " + juliaString(source) + "), C.eval(home, C.Expr(:(=), name, own)))\n" + ask + "\nend"
}

func juliaLiteral(v any) string { return literal(v, strconv.FormatBool, juliaString) }

// juliaString returns a Julia string literal in ASCII, without interpolation.
func juliaString(s string) string { return asciiString(s, `"\$`) }

// checkJuliaName checks that name is a Julia name, such as df, x̂ or done!, or a path of them separated by dots. The error
// is a *NameError.
func checkJuliaName(name string) error {
	return checkParts(name, ".", func(r rune, first bool) bool {
		// Beyond ASCII, Julia's identifiers have symbols too; names that pass in excess find no variable.
		begins := r == '_' || unicode.IsLetter(r) || r > 0x7f && unicode.In(r, unicode.Nl, unicode.No, unicode.So, unicode.Sm, unicode.Sc)
		goesOn := r == '!' || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Me, unicode.Pc) || r > 0x7f && unicode.In(r, unicode.Sk, unicode.Po)
		return begins || !first && goesOn
	})
}
