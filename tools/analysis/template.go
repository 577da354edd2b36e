package analysis

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis/srcbook"
	"github.com/nbduet/nbduet/tools/analysis/templates"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/tool"
)

// PatternNames returns the names of all templates.
func PatternNames() []string {
	return lo.Map(templates.All(), func(t templates.Template, _ int) string { return t.Name })
}

type templateArgs struct {
	Pattern string `json:"pattern" jsonschema:"The template."`
	newNotebook
	Title string `json:"title,omitempty" jsonschema:"Heading of the notebook, instead of the template's." validate:"min=1,max=200"`
}

// Refine implements tool.Refiner.
func (templateArgs) Refine(f tool.Fields) {
	f.Field("pattern").OneOf(PatternNames()...)
}

// A TemplateResult is the answer of notebook_from_template.
type TemplateResult struct {
	ImportResult
	Pattern string `json:"pattern" jsonschema:"In the notebook's metadata."`
}

// notebookFromTemplate makes notebook_from_template.
func notebookFromTemplate(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "notebook_from_template",
		Title: "Create a notebook from a template",
		Description: "Creates a notebook from a template (notebook://templates/{pattern}): a small worked example of reasoning or data analysis, in which each cell runs. " +
			"Use it to start such work, then adapt the cells to your problem. Runs and overwrites nothing. Costs little.",
		Output: tool.ResultOf[TemplateResult](nil),
		Call: tool.Typed(func(ctx context.Context, args templateArgs) (*tool.Answer, error) {
			t, ok := templates.Find(args.Pattern)
			if !ok {
				return nil, fmt.Errorf("there is no template %s: choose from %s", textfmt.Quoted(args.Pattern), strings.Join(PatternNames(), ", "))
			}
			nb := t.Notebook
			nb.Metadata = map[string]any{OwnMetadata: map[string]any{"pattern": t.Name}}
			if args.Title != "" {
				_, rest, _ := strings.Cut(nb.Cells[0].Source, "\n")
				nb.Cells = append([]srcbook.Cell{}, nb.Cells...)
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
