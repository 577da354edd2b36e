package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// OwnPrompts returns the prompts of this package, in the order in which they are listed.
func (d *Provider) OwnPrompts() []tool.Prompt {
	notebook := tool.PromptArgument{Name: "path", Description: "The notebook, relative to the Jupyter server's root folder.", Required: true, Complete: completeFiles(d.Deps, ".ipynb")}
	all := []tool.Prompt{
		{
			Name: "work_together", Title: "Work beside me in a notebook",
			Description: "Tells the agent how to work in a notebook that people have open.",
			Arguments: []tool.PromptArgument{
				{Name: "path", Description: "The notebook, relative to the Jupyter server's root folder. Left out: the one you are in.", Complete: completeFiles(d.Deps, ".ipynb")},
				{Name: "task", Description: "What to do."},
			},
			Text: func(ctx context.Context, args map[string]string) (string, error) { return togetherText(ctx, d, args) },
		},
		{
			Name: "explore_dataset", Title: "Explore this dataset",
			Description: "Explores a data file step by step in a notebook that you watch.",
			Arguments: []tool.PromptArgument{
				{Name: "file", Description: "The data file, relative to the Jupyter server's root folder.", Required: true, Complete: completeFiles(d.Deps, dataFiles...)},
				{Name: "question", Description: "What you want to know."},
			},
			Text: d.exploreText,
		},
		{
			Name: "review_notebook", Title: "Review this notebook",
			Description: "Reports errors, unclear parts and gaps in a notebook, without changing it.",
			Arguments: []tool.PromptArgument{
				notebook,
				{Name: "focus", Description: "What to focus on.", Complete: completeWords("correctness", "reproducibility", "clarity", "performance", "statistics")},
			},
			Text: d.reviewText,
		},
		{
			Name: "fix_failing_cell", Title: "Fix the failing cell",
			Description: "Finds out why a cell fails, fixes it and reruns it.",
			Arguments: []tool.PromptArgument{
				notebook,
				{Name: "cell", Description: "Index or id of the cell. Left out: the first with an error.", Complete: d.completeFailing},
			},
			Text: d.fixText,
		},
	}
	if d.Activity != nil {
		all = append(all, tool.Prompt{
			Name: "continue_work", Title: "Continue where I left off",
			Description: "Continues the work of earlier sessions.",
			Arguments: []tool.PromptArgument{
				{Name: "goal", Description: "What to do next."},
			},
			Text: d.continueText,
		})
	}
	return all
}

// dataFiles has the file extensions that preview_data reads.
var dataFiles = []string{".csv", ".tsv", ".xlsx", ".parquet", ".jsonl", ".ndjson", ".feather", ".arrow", ".db", ".sqlite", ".sqlite3", ".json", ".gz"}

// AddPrompts adds the prompts to the server.
func AddPrompts(s *server.MCPServer, hooks *server.Hooks, d *Provider, toolsets []string) {
	codePromptErrors(hooks, d.settle)
	for _, p := range d.Prompts {
		if !p.On(toolsets) {
			continue
		}
		options := []mcp.PromptOption{mcp.WithPromptDescription(p.Description), mcp.WithPromptTitle(p.Title)}
		for _, a := range p.Arguments {
			about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.Description)}
			if a.Required {
				about = append(about, mcp.RequiredArgument())
			}
			options = append(options, mcp.WithArgument(a.Name, about...))
		}
		s.AddPrompt(mcp.NewPrompt(p.Name, options...), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			for _, a := range p.Arguments {
				if a.Lacks(req.Params.Arguments) {
					return nil, tool.ArgumentError{Err: fmt.Errorf("the prompt %s needs %s: %s", p.Name, a.Name, a.Description)}
				}
			}
			text, err := p.Text(ctx, req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
		})
	}
}

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c Completer) CompletePromptArgument(ctx context.Context, name string, arg mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range c.D.Prompts {
		for _, a := range p.Arguments {
			if p.Name == name && a.Name == arg.Name && a.Complete != nil {
				return completion(a.Complete(ctx, arg.Value, given.Arguments), arg.Value), nil
			}
		}
	}
	return completion(nil, ""), nil
}

func completeWords(words ...string) func(context.Context, string, map[string]string) []string {
	return func(context.Context, string, map[string]string) []string { return words }
}

// completeFiles returns the files with one of the endings, and the folders, in the folder that the written path names.
func completeFiles(d *deps.Deps, endings ...string) func(context.Context, string, map[string]string) []string {
	return func(ctx context.Context, written string, _ map[string]string) []string {
		folder, err := jupyter.ParsePath(written[:max(0, strings.LastIndexByte(written, '/'))])
		if err != nil {
			return nil // no values; the prompt itself reports what is wrong
		}
		c, err := d.Manager.Servers().Documents.Contents.Get(ctx, folder, jupyter.ContentsOptions{Content: true, Type: "directory"})
		if err != nil {
			return nil // likewise
		}
		entries, err := c.Entries()
		if err != nil {
			return nil
		}
		var files, folders []string
		for _, e := range entries {
			if e.Type == "directory" {
				folders = append(folders, e.Path.String()+"/")
				continue
			}
			if slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(strings.ToLower(e.Name), ending) }) {
				files = append(files, e.Path.String())
			}
		}
		slices.Sort(files) // the server lists them in arbitrary order
		slices.Sort(folders)
		return append(files, folders...)
	}
}

// completeFailing returns the ids of the cells that show an error.
func (d *Provider) completeFailing(ctx context.Context, _ string, given map[string]string) []string {
	path, err := jupyter.ParsePath(given["path"])
	if err != nil || path.IsRoot() {
		return nil
	}
	doc, err := d.Manager.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer doc.Release()
	return lo.FilterMap(doc.Notebook().Cells(), func(c ydoc.Cell, _ int) (string, bool) { return c.ID, failed(c) })
}
