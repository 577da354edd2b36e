package desk

import (
	"net/url"
	"path"
	"strings"
)

// The prefixes and suffixes of resource addresses, and the fixed addresses.
const (
	NotebookScheme = "notebook://"
	JupyterScheme  = "jupyter://" // of images and files
	ExportScheme   = "file:///notebooks/"
	ExportSuffix   = ".src.md"

	URIList      = NotebookScheme + "list"
	URICurrent   = NotebookScheme + "current"
	URITemplates = NotebookScheme + "templates/"
)

// NotebookAddress returns the address of a notebook, or of the part of it that parts name.
func NotebookAddress(session, notebook string, parts ...string) string {
	out := NotebookScheme + url.PathEscape(session) + "/" + url.PathEscape(notebook)
	for _, p := range parts {
		out += "/" + url.PathEscape(p)
	}
	return out
}

// ExportAddress is the address of a notebook's export as a file.
func ExportAddress(session, notebookPath string) string {
	out := ExportScheme + url.PathEscape(session)
	for p := range strings.SplitSeq(ExportName(notebookPath), "/") {
		out += "/" + url.PathEscape(p)
	}
	return out + ExportSuffix
}

// ExportName is a notebook's path without its extension.
func ExportName(notebookPath string) string {
	return strings.TrimSuffix(notebookPath, path.Ext(notebookPath))
}
