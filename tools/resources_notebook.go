package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// templateTTL is for how long clients may keep what never changes while the program runs, in milliseconds.
const templateTTL = 3_600_000

// The addresses of notebooks' resources, as RFC 6570 templates. A variable's name has no hyphen there.
const (
	templateNotebook = notebookScheme + "{session_id}/{notebook_id}"
	templatePattern  = uriTemplates + "{pattern}"
	templateExport   = exportScheme + "{session_id}/{+file}" + exportSuffix
	templateFile     = exportScheme + "{session_id}/{+file}/cells/{cell_id}.{ext}"
	templateCellFile = exportScheme + "{session_id}/cells/{cell_id}.{ext}"

	// Whatever else begins like that is taken apart as well, to say what is wrong with it. These two are not listed.
	anyNotebook = notebookScheme + "{+address}"
	anyExport   = exportScheme + "{+address}"
)

// A templated resource is one template with what is said of it.
type templated struct{ uri, name, description, mime string }

var notebookTemplates = []templated{
	{templateNotebook, "notebook", "A notebook that this client has open, as srcbook markdown: text as it stands, code in fenced blocks under the names of the cells. No outputs.", mimeMarkdown},
	{templateNotebook + "/" + formSrcmd, "notebook-srcmd", "The same, by its name. notebook_import reads it back.", mimeMarkdown},
	{templateNotebook + "/" + formJSON, "notebook-json", "A notebook in nbformat 4, with outputs: harmless ones only, and images by their addresses.", mimeJSON},
	{templateNotebook + "/" + formCells, "notebook-cells", "The cells of a notebook: id, type, source and state of each.", mimeJSON},
	{templateNotebook + "/cells/{cell_id}", "notebook-cell", "The source of one cell, of the MIME type of its language.", ""},
	{templateNotebook + "/cells/{cell_id}/outputs", "notebook-cell-outputs", "The outputs of one cell: harmless ones only, and images by their addresses.", mimeJSON},
	{templateNotebook + "/executions/{run_id}", "notebook-execution", "One run of a cell that this client has asked for: state, times and outputs.", mimeJSON},
	{templatePattern, "notebook-template", "A notebook to begin with; notebook_from_template makes a real one of it.", mimeMarkdown},
	{templateExport, "notebook-file", "A notebook as a srcbook file; file is its path without .ipynb.", mimeMarkdown},
	{templateFile, "notebook-cell-file", "One cell of a notebook as a file.", ""},
	{templateCellFile, "cell-file", "One cell as a file, where only one notebook of the session has such a cell.", ""},
}

// addNotebooks makes notebooks resources: those that the client which asks has open, in the forms that
// resources_notebook_uri.go takes apart, and the templates that new ones are made from.
func addNotebooks(s *server.MCPServer, hooks *server.Hooks, d *provider) {
	read := func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return d.readNotebook(ctx, req)
	}
	for _, uri := range []string{uriList, uriCurrent} {
		s.AddResource(mcp.NewResource(uri, uri), read) // resources/list is told about them by listNotebooks
	}
	for _, t := range notebookTemplates {
		s.AddResourceTemplate(mcp.NewResourceTemplate(t.uri, t.name, mcp.WithTemplateDescription(t.description), mcp.WithTemplateMIMEType(t.mime)), read)
	}
	for _, uri := range []string{anyNotebook, anyExport} {
		s.AddResourceTemplate(mcp.NewResourceTemplate(uri, uri), read)
	}
	hooks.AddAfterListResourceTemplates(func(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, res *mcp.ListResourceTemplatesResult) {
		res.ResourceTemplates = slices.DeleteFunc(slices.Clone(res.ResourceTemplates), func(t mcp.ResourceTemplate) bool {
			return t.Name == anyNotebook || t.Name == anyExport
		})
	})
	hooks.AddAfterListResources(func(_ context.Context, _ any, _ *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		res.Resources = slices.DeleteFunc(slices.Clone(res.Resources), func(r mcp.Resource) bool { return r.Name == r.URI })
	})
	hooks.AddAfterReadResource(func(_ context.Context, _ any, req *mcp.ReadResourceRequest, res *mcp.ReadResourceResult) {
		if strings.HasPrefix(req.Params.URI, uriTemplates) {
			res.SetCacheHints(templateTTL, mcp.CacheScopePublic)
		}
	})
}

// listNotebooks lists the notebooks that a client has open, and the templates.
func (d *provider) listNotebooks(ctx context.Context, after uint64, most int) ([]mcp.Resource, uint64) {
	owned := d.ownedNotebooks(ctx)
	all := []mcp.Resource{{
		URI: uriList, Name: "Active Notebooks", MIMEType: mimeJSON, Description: plural(len(owned), "active notebook"),
	}}
	if current, ok := d.currentNotebook(ctx); ok {
		m := d.metaOf(current)
		all = append(all, mcp.Resource{
			URI: uriCurrent, Name: "Current Notebook", Title: m.Path, MIMEType: mimeMarkdown, Meta: metaIn(m),
			Description: "The notebook that this client has worked in last, " + m.Path,
		})
	}
	for _, o := range owned {
		all = append(all, d.resourcesOf(o)...)
	}
	for _, t := range notebookPatterns() {
		all = append(all, mcp.Resource{
			URI: uriTemplates + t.name, Name: patternTitle(t.name) + " Template", MIMEType: mimeMarkdown, Description: t.description,
		})
	}
	return page(all, after, most)
}

// resourcesOf are what is listed of a notebook. Cells, outputs and runs are found through its cells and by templates.
func (d *provider) resourcesOf(o ownedNotebook) []mcp.Resource {
	m := d.metaOf(o)
	uri := notebookAddress(o.session, m.NotebookID)
	about := "Notebook " + m.Path
	if m.Pattern != "" {
		about += " for the pattern " + m.Pattern
	}
	modified := mcp.Annotated{Annotations: &mcp.Annotations{LastModified: m.LastModified}}
	return []mcp.Resource{
		{URI: uri, Name: m.name(), Title: m.Path, MIMEType: mimeMarkdown, Description: about + ", in session " + o.session, Meta: metaIn(m), Annotated: modified},
		{URI: uri + "/" + formCells, Name: m.name() + " Cells", Title: m.Path + ", cells", MIMEType: mimeJSON, Description: plural(m.CellCount, "cell") + " of " + m.Path, Meta: metaIn(m), Annotated: modified},
		{URI: exportAddress(o.session, m.Path), Name: exportName(m.Path) + exportSuffix, MIMEType: mimeMarkdown, Description: m.Path + " as a srcbook file", Annotated: modified},
	}
}

func metaIn(m notebookMeta) *mcp.Meta { return &mcp.Meta{AdditionalFields: m.fields(nil)} }
