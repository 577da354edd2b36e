package document

import (
	"slices"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools returns the tools for text documents, files, and their sessions.
func Tools(d *deps.Deps) []tool.Tool {
	return slices.Concat(
		tool.InSet(tool.ToolsetDocument,
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
		),
		tool.InSet(tool.ToolsetRTC,
			queryDocumentSession(d),
			endDocumentSession(d),
		),
	)
}
