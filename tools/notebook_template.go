package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/srcmd"
	"github.com/nbduet/nbduet/tools/templates"
)

// A pattern is a template as it is listed.
type pattern struct{ name, description string }

func notebookPatterns() []pattern {
	var out []pattern
	for _, t := range templates.All() {
		out = append(out, pattern{t.Name, t.Description})
	}
	return out
}

func patternNames() []string {
	var out []string
	for _, t := range templates.All() {
		out = append(out, t.Name)
	}
	return out
}

// readTemplate reads a template as a resource.
func readTemplate(u notebookURI) (mcp.TextResourceContents, error) {
	t, ok := templates.Find(u.pattern)
	if !ok {
		return mcp.TextResourceContents{}, noResource(u.uri, msgTemplate, "there is no template "+quoted(u.pattern)+": choose from "+strings.Join(patternNames(), ", "))
	}
	return mcp.TextResourceContents{MIMEType: mimeMarkdown, Text: t.Text, Meta: map[string]any{
		"pattern": t.Name, "name": patternTitle(t.Name) + " Template", "description": t.Description,
		"cellCount": len(t.Notebook.Cells), "language": t.Notebook.Language,
	}}, nil
}

type templateArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Title   string `json:"title"`
}

type templateResult struct {
	importResult
	Pattern string `json:"pattern"`
}

// notebookFromTemplate makes notebook_from_template.
func notebookFromTemplate(d *deps) tool {
	return tool{
		name:    "notebook_from_template",
		title:   "Create a notebook from a template",
		toolset: toolsetCells,
		description: "Makes a new notebook of one of the templates notebook://templates/{pattern}: a small worked example of a way to reason or to analyse data, of which each cell runs. " +
			"Use it to begin such work, then change the cells to the problem at hand. Nothing is run, and nothing that exists is overwritten. Costs little.",
		marks: marks{},
		input: arguments(
			required("pattern", oneOf("The template.", patternNames()...)),
			required("path", documentSchema("New notebook, ending in .ipynb, in an existing folder")),
			optional("title", text("Heading of the notebook, in place of the template's.").length(1, 200)),
		),
		output: object("", append(importProperties(), required("pattern", text("Remembered in the notebook's metadata.")))...),
		handle: typed(func(ctx context.Context, args templateArgs) (*answer, error) {
			t, ok := templates.Find(args.Pattern)
			if !ok {
				return nil, fmt.Errorf("there is no template %s", quoted(args.Pattern))
			}
			nb := t.Notebook
			nb.Metadata = map[string]any{ownMetadata: map[string]any{"pattern": t.Name}}
			if args.Title != "" {
				_, rest, _ := strings.Cut(nb.Cells[0].Source, "\n")
				nb.Cells = append([]srcmd.Cell{}, nb.Cells...)
				nb.Cells[0].Source = "# " + strings.Join(strings.Fields(args.Title), " ") + "\n" + rest
			}
			made, err := d.makeNotebook(ctx, args.Path, nb)
			if err != nil {
				return nil, err
			}
			made.Message = fmt.Sprintf("Successfully created %s from the template %s", named(made.Path), t.Name)
			return &answer{body: templateResult{made, t.Name}}, nil
		}),
	}
}
