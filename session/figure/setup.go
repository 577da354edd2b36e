package figure

import (
	"embed"
	"strconv"
	"strings"
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
	var b strings.Builder
	for _, name := range names {
		text, err := pythonFiles.ReadFile("python/" + name + ".py")
		if err != nil {
			panic("figure: " + err.Error()) // it is embedded
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") { // comments need not travel
				b.WriteString(line)
			}
		}
	}
	return b.String()
}
