package readset

import "github.com/nbduet/nbduet/session/spans"

// parts are the parts of a text that a client knows.
type parts struct {
	of    textID
	known spans.Set
}
