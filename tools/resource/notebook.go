package resource

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/analysis/templates"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
)

// TemplateTTL is how long clients may cache content that does not change while the program runs, in milliseconds.
const TemplateTTL = 3_600_000

// The addresses of notebooks' resources, as RFC 6570 templates. Names of variables must not have hyphens there.
const (
	TemplateNotebook = target.NotebookScheme + "{session_id}/{notebook_id}"
	TemplatePattern  = target.URITemplates + "{pattern}"
	TemplateExport   = target.ExportScheme + "{session_id}/{+file}" + target.ExportSuffix
	TemplateFile     = target.ExportScheme + "{session_id}/{+file}/cells/{cell_id}.{ext}"
	templateCellFile = target.ExportScheme + "{session_id}/cells/{cell_id}.{ext}"

	// These two match all other addresses of the schemes, so that an error can say what is wrong with one. They are not
	// listed.
	AnyNotebook = target.NotebookScheme + "{+address}"
	AnyExport   = target.ExportScheme + "{+address}"
)

// A templated resource is a template of addresses with its description.
type templated struct{ uri, name, description, mime string }

var notebookTemplates = []templated{
	{TemplateNotebook, "notebook", "A notebook that this client has open, as srcbook markdown: text as is, code in fenced blocks under the cells' names. No outputs.", MIMEMarkdown},
	{TemplateNotebook + "/" + formSrcmd, "notebook-srcmd", "The same, in a form that can be imported.", MIMEMarkdown},
	{TemplateNotebook + "/" + formJSON, "notebook-json", "A notebook in nbformat 4, with sanitized outputs, and addresses for images.", MIMEJSON},
	{TemplateNotebook + "/" + formCells, "notebook-cells", "The cells of a notebook: id, type, source and state of each.", MIMEJSON},
	{TemplateNotebook + "/cells/{cell_id}", "notebook-cell", "The source of one cell, with the MIME type of its language.", ""},
	{TemplateNotebook + "/cells/{cell_id}/outputs", "notebook-cell-outputs", "The sanitized outputs of one cell, with addresses for images.", MIMEJSON},
	{TemplateNotebook + "/executions/{run_id}", "notebook-execution", "One run of a cell that this client started: state, times and outputs.", MIMEJSON},
	{TemplatePattern, "notebook-template", "A template for new notebooks.", MIMEMarkdown},
	{TemplateExport, "notebook-file", "A notebook as a srcbook file; file is its path without .ipynb.", MIMEMarkdown},
	{TemplateFile, "notebook-cell-file", "One cell of a notebook as a file.", ""},
	{templateCellFile, "cell-file", "One cell as a file, if only one notebook of the session has such a cell.", ""},
}

// addNotebooks makes notebooks resources: the notebooks that the client has open, in the forms of notebook_uri.go, and the
// templates for new notebooks.
func addNotebooks(s *server.MCPServer, hooks *server.Hooks, d *Provider) {
	for _, uri := range []string{target.URIList, target.URICurrent} {
		s.AddResource(mcp.NewResource(uri, uri), d.readNotebook) // listNotebooks lists them
	}
	for _, t := range notebookTemplates {
		s.AddResourceTemplate(mcp.NewResourceTemplate(t.uri, t.name, mcp.WithTemplateDescription(t.description), mcp.WithTemplateMIMEType(t.mime)), d.readNotebook)
	}
	for _, uri := range []string{AnyNotebook, AnyExport} {
		s.AddResourceTemplate(mcp.NewResourceTemplate(uri, uri), d.readNotebook)
	}
	hooks.AddAfterListResourceTemplates(func(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, res *mcp.ListResourceTemplatesResult) {
		res.ResourceTemplates = slices.DeleteFunc(slices.Clone(res.ResourceTemplates), func(t mcp.ResourceTemplate) bool {
			return t.Name == AnyNotebook || t.Name == AnyExport
		})
	})
	hooks.AddAfterListResources(func(_ context.Context, _ any, _ *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		res.Resources = slices.DeleteFunc(slices.Clone(res.Resources), func(r mcp.Resource) bool { return r.Name == r.URI })
	})
	hooks.AddAfterReadResource(func(_ context.Context, _ any, req *mcp.ReadResourceRequest, res *mcp.ReadResourceResult) {
		if strings.HasPrefix(req.Params.URI, target.URITemplates) {
			res.SetCacheHints(TemplateTTL, mcp.CacheScopePublic)
		}
	})
}

// listNotebooks lists the notebooks that a client has open, and the templates.
func (d *Provider) listNotebooks(ctx context.Context, after uint64, most int) ([]mcp.Resource, uint64) {
	owned := d.OwnedNotebooks(ctx)
	all := []mcp.Resource{{
		URI: target.URIList, Name: "Active Notebooks", MIMEType: MIMEJSON, Description: textfmt.Plural(len(owned), "active notebook"),
	}}
	if current, ok := d.CurrentNotebook(ctx); ok {
		m := d.metaOf(current)
		all = append(all, mcp.Resource{
			URI: target.URICurrent, Name: "Current Notebook", Title: m.Path, MIMEType: MIMEMarkdown, Meta: metaIn(m),
			Description: "The notebook that this client used last, " + m.Path,
		})
	}
	for _, o := range owned {
		all = append(all, d.resourcesOf(o)...)
	}
	for _, t := range templates.All() {
		all = append(all, mcp.Resource{
			URI: target.URITemplates + t.Name, Name: patternTitle(t.Name) + " Template", MIMEType: MIMEMarkdown, Description: t.Description,
		})
	}
	return page(all, after, most)
}

// resourcesOf returns the listed resources of a notebook. Clients find cells, outputs and runs through the list of its
// cells and through templates.
func (d *Provider) resourcesOf(o deps.OwnedNotebook) []mcp.Resource {
	m := d.metaOf(o)
	uri := target.NotebookAddress(o.Session, m.NotebookID)
	modified := mcp.Annotated{Annotations: &mcp.Annotations{LastModified: m.LastModified}}
	return []mcp.Resource{
		{URI: uri, Name: m.name(), Title: m.Path, MIMEType: MIMEMarkdown, Description: m.about(), Meta: metaIn(m), Annotated: modified},
		{URI: uri + "/" + formCells, Name: m.name() + " Cells", Title: m.Path + ", cells", MIMEType: MIMEJSON, Description: textfmt.Plural(m.CellCount, "cell") + " of " + m.Path, Meta: metaIn(m), Annotated: modified},
		{URI: target.ExportAddress(o.Session, o.Doc.Path()), Name: target.ExportName(o.Doc.Path()) + target.ExportSuffix, MIMEType: MIMEMarkdown, Description: m.Path + " as a srcbook file", Annotated: modified},
	}
}

func metaIn(m notebookMeta) *mcp.Meta { return &mcp.Meta{AdditionalFields: m.fields(nil)} }

// readTemplate reads a template as a resource.
func readTemplate(u notebookURI) (mcp.TextResourceContents, error) {
	t, ok := templates.Find(u.pattern)
	if !ok {
		return mcp.TextResourceContents{}, noResource(u.uri, msgTemplate, "there is no template "+textfmt.Quoted(u.pattern)+": choose from "+strings.Join(analysis.PatternNames(), ", "))
	}
	return mcp.TextResourceContents{MIMEType: MIMEMarkdown, Text: t.Text, Meta: map[string]any{
		"pattern": t.Name, "name": patternTitle(t.Name) + " Template", "description": t.Description,
		"cellCount": len(t.Notebook.Cells), "language": t.Notebook.Language,
	}}, nil
}
