package resource

import (
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/tools/target"
)

// The forms of a notebook's resource.
const (
	formList     = "list"
	formCurrent  = "current"
	formTemplate = "templates"
	formSrcmd    = "srcmd"
	formJSON     = "json"
	formCells    = "cells"
	formCell     = "cell"
	formOutputs  = "outputs"
	formRun      = "executions"
	formExport   = "export"      // of a notebook, as a file
	formFile     = "export cell" // of a cell, as a file
)

// A notebookURI is a parsed address.
type notebookURI struct {
	uri      string
	form     string
	session  string // the session of the notebook
	notebook string // its file id; "" for exports
	cell     string // its id; for formFile with its extension
	run      string
	pattern  string // of a template
	file     string // for exports: the notebook's path without .ipynb, "" for any
}

// notebookForms lists the forms.
const notebookForms = "the forms of a notebook are srcmd, json, cells, cells/{cell-id}, cells/{cell-id}/outputs and executions/{run-id}"

// The messages of errors.
const (
	msgNotebook = "Notebook not found"
	msgCell     = "Cell not found"
	msgRun      = "Execution not found"
	msgTemplate = "Template not found"
	msgCurrent  = "No notebook for current session"
	msgFormat   = "Unknown format: "
	msgUnknown  = "Unknown resource: "
)

// parseNotebookURI parses an address, without checking that the resource exists. An address with an unknown form is
// parsed as far as the notebook, so that a missing notebook is reported first.
func parseNotebookURI(uri string) (notebookURI, error) {
	u := notebookURI{uri: uri}
	rest, ours := strings.CutPrefix(uri, target.NotebookScheme)
	if !ours {
		if rest, ours = strings.CutPrefix(uri, target.ExportScheme); !ours {
			return u, noResource(uri, msgUnknown+uri, "the address of a notebook begins with "+target.NotebookScheme+" or "+target.ExportScheme)
		}
	}
	if len(uri) > 4096 || strings.ContainsAny(rest, "?#") {
		return u, noResource(uri, msgUnknown+uri, "an address has no query, no fragment, and at most 4,096 characters")
	}
	parts := strings.Split(rest, "/")
	for i := range parts {
		p, err := url.PathUnescape(parts[i])
		if err != nil {
			return u, noResource(uri, msgUnknown+uri, "invalid % escapes: "+err.Error())
		}
		parts[i] = p
	}
	if strings.HasPrefix(uri, target.ExportScheme) {
		return u.export(parts)
	}
	switch {
	case rest == formList || rest == formCurrent:
		u.form = rest
		return u, nil
	case parts[0] == formTemplate && len(parts) == 2:
		u.form, u.pattern = formTemplate, parts[1]
		return u, nil
	case len(parts) < 2 || parts[0] == "" || parts[1] == "":
		return u, noResource(uri, msgNotebook, "the address of a notebook has the ids of a session and of a notebook: "+target.NotebookScheme+"{session-id}/{notebook-id}; "+target.URIList+" lists the notebooks")
	}
	u.session, u.notebook = parts[0], parts[1]
	u.form = formSrcmd
	switch sub := parts[2:]; {
	case len(sub) == 0:
	case len(sub) == 1 && (sub[0] == formSrcmd || sub[0] == formJSON || sub[0] == formCells):
		u.form = sub[0]
	case len(sub) == 2 && sub[0] == "cells" && sub[1] != "":
		u.form, u.cell = formCell, sub[1]
	case len(sub) == 3 && sub[0] == "cells" && sub[2] == "outputs":
		u.form, u.cell = formOutputs, sub[1]
	case len(sub) == 2 && sub[0] == "executions" && sub[1] != "":
		u.form, u.run = formRun, sub[1]
	default:
		u.form = "" // unknown
		u.cell = strings.Join(sub, "/")
	}
	return u, nil
}

// export parses the rest of an address after file:///notebooks/.
func (u notebookURI) export(parts []string) (notebookURI, error) {
	if n := len(parts); n >= 2 && parts[0] != "" {
		u.session = parts[0]
		if file, ok := strings.CutSuffix(parts[n-1], target.ExportSuffix); ok && file != "" {
			u.form, u.file = formExport, strings.Join(append(parts[1:n-1:n-1], file), "/")
			return u, nil
		}
		if n >= 3 && parts[n-2] == "cells" && parts[n-1] != "" {
			u.form, u.file, u.cell = formFile, strings.Join(parts[1:n-2], "/"), parts[n-1]
			return u, nil
		}
	}
	return u, noResource(u.uri, msgUnknown+u.uri, "the address of an export looks like "+target.ExportScheme+"{session-id}/{file}"+target.ExportSuffix+" or "+target.ExportScheme+"{session-id}/cells/{cell-id}.py")
}
