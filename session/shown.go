package session

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/ydoc"
)

// shownMax bounds how many (client, cell) pairs a document remembers.
const shownMax = 16384

// shownKey is one cell as one client session has seen it.
type shownKey struct{ client, cell string }

func newShown() *lru.Cache[shownKey, ydoc.Revision] {
	c, err := lru.New[shownKey, ydoc.Revision](shownMax)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return c
}
