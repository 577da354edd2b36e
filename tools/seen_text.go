package tools

import (
	"context"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// Each client's picture of a text is kept as that of cells is (seen.go), under the name of no cell. A picture that is
// none of the document's own versions, because an edit was merged with what the client has not seen, is marked as stale.

const (
	wholeText = ""
	stale     = ydoc.Revision(0)
)

// showText notes that the client of ctx knows the whole text as it is at a revision.
func (s *seen) showText(ctx context.Context, doc *session.Document, text string, rev ydoc.Revision) {
	client := clientOf(ctx)
	doc.Show(client, wholeText, rev)
	s.cells.Add(seenKey{client, doc.Path(), wholeText}, s.hash(text))
}

// makeText notes that the client of ctx has made a text, whatever was at its path before.
func (s *seen) makeText(ctx context.Context, path, text string) {
	s.cells.Add(seenKey{clientOf(ctx), path, wholeText}, s.hash(text))
}

// forgetText notes that the client of ctx has no true picture of the text any more.
func (s *seen) forgetText(ctx context.Context, doc *session.Document, text string) {
	client := clientOf(ctx)
	doc.Show(client, wholeText, stale)
	s.cells.Add(seenKey{client, doc.Path(), wholeText}, ^s.hash(text))
}

// outdatedText tells whether the client of ctx was shown the text once, and not as it is now.
func (s *seen) outdatedText(ctx context.Context, path, text string) bool {
	last, ok := s.cells.Get(seenKey{clientOf(ctx), path, wholeText})
	return ok && last != s.hash(text)
}
