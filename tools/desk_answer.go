package tools

import "github.com/nbduet/nbduet/session"

// about is what an answer is about: a document, or nothing where doc is nil.
func about(doc *session.Document) document {
	if doc == nil {
		return nil
	}
	return doc
}
