package target

import (
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// The prefixes and suffixes of resource addresses, and the fixed addresses.
const (
	NotebookScheme = "notebook://"
	JupyterScheme  = "jupyter://" // images and files
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

// ExportAddress returns the address of a notebook's export as a file.
func ExportAddress(session string, notebook jupyter.Path) string {
	out := ExportScheme + url.PathEscape(session)
	for p := range strings.SplitSeq(ExportName(notebook), "/") {
		out += "/" + url.PathEscape(p)
	}
	return out + ExportSuffix
}

// ExportName returns a notebook's path without its extension.
func ExportName(notebook jupyter.Path) string {
	return strings.TrimSuffix(notebook.String(), notebook.Ext())
}
