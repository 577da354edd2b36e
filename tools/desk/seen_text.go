package desk

import (
	"context"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Each client's picture of a text is kept as that of cells is (seen.go), under the name of no cell. A picture that is
// none of the document's own versions, because an edit was merged with what the client has not seen, is marked as stale.

// What the picture of a text is kept under.
const (
	WholeText = ""               // stands where the id of a cell would
	Stale     = ydoc.Revision(0) // is the revision of such a picture
)

// ShowText notes that the client of ctx knows the whole text as it is at a revision.
func (s *seen) ShowText(ctx context.Context, doc *session.Document, text string, rev ydoc.Revision) {
	client := tool.ClientOf(ctx)
	doc.Show(client, WholeText, rev)
	s.Cells.Add(seenKey{client, doc.Path(), WholeText}, s.hash(text))
}

// MakeText notes that the client of ctx has made a text, whatever was at its path before.
func (s *seen) MakeText(ctx context.Context, path, text string) {
	s.Cells.Add(seenKey{tool.ClientOf(ctx), path, WholeText}, s.hash(text))
}

// ForgetText notes that the client of ctx has no true picture of the text any more.
func (s *seen) ForgetText(ctx context.Context, doc *session.Document, text string) {
	client := tool.ClientOf(ctx)
	doc.Show(client, WholeText, Stale)
	s.Cells.Add(seenKey{client, doc.Path(), WholeText}, ^s.hash(text))
}

// OutdatedText tells whether the client of ctx was shown the text once, and not as it is now.
func (s *seen) OutdatedText(ctx context.Context, path, text string) bool {
	last, ok := s.Cells.Get(seenKey{tool.ClientOf(ctx), path, WholeText})
	return ok && last != s.hash(text)
}
