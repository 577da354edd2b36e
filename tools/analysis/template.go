package analysis

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/srcmd"
	"github.com/nbduet/nbduet/tools/templates"
	"github.com/nbduet/nbduet/tools/tool"
)

func PatternNames() []string {
	var out []string
	for _, t := range templates.All() {
		out = append(out, t.Name)
	}
	return out
}

type templateArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Title   string `json:"title"`
}

type TemplateResult struct {
	ImportResult
	Pattern string `json:"pattern"`
}

// notebookFromTemplate makes notebook_from_template.
func notebookFromTemplate(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "notebook_from_template",
		Title:   "Create a notebook from a template",
		Toolset: tool.ToolsetCells,
		Description: "Makes a new notebook of one of the templates notebook://templates/{pattern}: a small worked example of a way to reason or to analyse data, of which each cell runs. " +
			"Use it to begin such work, then change the cells to the problem at hand. Nothing is run, and nothing that exists is overwritten. Costs little.",
		Marks: tool.Marks{},
		Input: tool.Arguments(
			tool.Required("pattern", tool.OneOf("The template.", PatternNames()...)),
			tool.Required("path", document.PathSchema("New notebook, ending in .ipynb, in an existing folder")),
			tool.Optional("title", tool.Text("Heading of the notebook, in place of the template's.").Length(1, 200)),
		),
		Output: tool.Object("", append(importProperties(), tool.Required("pattern", tool.Text("Remembered in the notebook's metadata.")))...),
		Handle: tool.Typed(func(ctx context.Context, args templateArgs) (*tool.Answer, error) {
			t, ok := templates.Find(args.Pattern)
			if !ok {
				return nil, fmt.Errorf("there is no template %s", tool.Quoted(args.Pattern))
			}
			nb := t.Notebook
			nb.Metadata = map[string]any{OwnMetadata: map[string]any{"pattern": t.Name}}
			if args.Title != "" {
				_, rest, _ := strings.Cut(nb.Cells[0].Source, "\n")
				nb.Cells = append([]srcmd.Cell{}, nb.Cells...)
				nb.Cells[0].Source = "# " + strings.Join(strings.Fields(args.Title), " ") + "\n" + rest
			}
			made, err := makeNotebook(ctx, d, args.Path, nb)
			if err != nil {
				return nil, err
			}
			made.Message = fmt.Sprintf("Successfully created %s from the template %s", document.Named(made.Path), t.Name)
			return &tool.Answer{Body: TemplateResult{made, t.Name}}, nil
		}),
	}
}
