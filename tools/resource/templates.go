package resource

import (
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/templates"
)

// A Template is a template as resources list it.
type Template struct{ Name, description string }

// NotebookPatterns returns all templates of notebooks.
func NotebookPatterns() []Template {
	var out []Template
	for _, t := range templates.All() {
		out = append(out, Template{t.Name, t.Description})
	}
	return out
}

// readTemplate reads a template as a resource.
func readTemplate(u notebookURI) (mcp.TextResourceContents, error) {
	t, ok := templates.Find(u.pattern)
	if !ok {
		return mcp.TextResourceContents{}, noResource(u.uri, msgTemplate, "there is no template "+words.Quoted(u.pattern)+": choose from "+strings.Join(analysis.PatternNames(), ", "))
	}
	return mcp.TextResourceContents{MIMEType: MIMEMarkdown, Text: t.Text, Meta: map[string]any{
		"pattern": t.Name, "name": patternTitle(t.Name) + " Template", "description": t.Description,
		"cellCount": len(t.Notebook.Cells), "language": t.Notebook.Language,
	}}, nil
}
