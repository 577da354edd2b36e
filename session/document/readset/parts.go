package readset

import "github.com/nbduet/nbduet/ydoc/textdiff/ranges"

// parts are the parts of a text that a client knows.
type parts struct {
	of    textID
	known ranges.Set
}
