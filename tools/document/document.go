package document

import (
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools are the tools for text documents, files, and their sessions.
func Tools(d *deps.Deps) []tool.Tool {
	return []tool.Tool{
		getDocumentContent(d),
		insertDocumentText(d),
		deleteDocumentText(d),
		replaceDocumentText(d),
		editByText(d),
		listDocuments(d),
		createDocument(d),
		getDocumentInfo(d),
		deleteDocument(d),
		renameDocument(d),
		copyDocument(d),
		overwriteDocument(d),
		queryDocumentSession(d),
		endDocumentSession(d),
	}
}
