package figure

import (
	"embed"
	"strconv"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

// MIME is the type of a figure's description, which a kernel sends with the picture after [Setup]. It is only for nbduet:
// [Known.Take] removes it from an output.
const MIME = "application/vnd.nbduet.figure+json"

//go:embed python/*.py
var pythonFiles embed.FS

// Setup is a Python expression. Evaluated in IPython, it makes each matplotlib figure describe itself wherever a cell run
// by nbduet shows it; the outputs of other clients' cells are unchanged. It may be evaluated again, imports nothing,
// defines no name in the user's namespace, and costs a type check of each shown value. Kernels for other languages, and
// without IPython, answer with an error, which is ignored.
var Setup = "__import__('builtins').exec(" + strconv.QuoteToASCII(setupSource()) + ", {'__name__': 'nbduet', 'MIME': '" + MIME + "'})"

func setupSource() string { return source("told", "axes", "setup") }

// source returns the text of some of the files, without the comment lines.
func source(names ...string) string {
	return userexpr.Source(pythonFiles, lo.Map(names, func(name string, _ int) string { return "python/" + name + ".py" })...)
}
