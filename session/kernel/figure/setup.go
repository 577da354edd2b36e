package figure

import (
	"embed"
	"strconv"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

// MIME is the type under which a kernel tells of a figure, beside its picture, after [Setup]. It is for nbduet alone:
// [Known.Take] takes it out of an output.
const MIME = "application/vnd.nbduet.figure+json"

//go:embed python/*.py
var pythonFiles embed.FS

// Setup is a Python expression. Evaluated in IPython it has each figure of matplotlib tell what it shows, wherever a cell
// shows it that nbduet runs; cells that others run have the outputs that they would have anyway. It may be evaluated again,
// imports nothing, names nothing in the user's namespace, and costs a look at the type of each value that is shown. Kernels
// for other languages, and without IPython, answer with an error of which nobody hears.
var Setup = "__import__('builtins').exec(" + strconv.QuoteToASCII(setupSource()) + ", {'__name__': 'nbduet', 'MIME': '" + MIME + "'})"

func setupSource() string { return source("told", "axes", "setup") }

// source is the text of some of the files, without the lines that are comments.
func source(names ...string) string {
	return userexpr.Source(pythonFiles, lo.Map(names, func(name string, _ int) string { return "python/" + name + ".py" })...)
}
