package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A prompt starts a piece of work that a person chooses in the host's menu.
type prompt struct {
	name, title, description string
	arguments                []promptArgument
	// toolsets are those of which one has to be on; none where it is always there.
	toolsets []string
	// text is what the model is told, with the arguments that were given.
	text func(ctx context.Context, args map[string]string) (string, error)
}

type promptArgument struct {
	name, description string
	required          bool
	// complete gives the values to choose from.
	complete func(ctx context.Context, written string, given map[string]string) []string
	// blank: where it is required, it may be given empty.
	blank bool
}

// on tells whether the prompt is offered.
func (p prompt) on(toolsets []string) bool {
	return len(p.toolsets) == 0 || slices.ContainsFunc(p.toolsets, func(name string) bool { return slices.Contains(toolsets, name) })
}

// lacks tells whether the argument has to be given and is not.
func (a promptArgument) lacks(args map[string]string) bool {
	value, given := args[a.name]
	return a.required && (!given || (!a.blank && strings.TrimSpace(value) == ""))
}

// ownPrompts are those that need nothing but what the server has, in the order in which they are listed.
func (d *provider) ownPrompts() []prompt {
	notebook := promptArgument{name: "path", description: "The notebook, relative to the Jupyter server's root folder.", required: true, complete: completeFiles(d.deps, ".ipynb")}
	all := []prompt{
		{
			name: "explore_dataset", title: "Explore this dataset",
			description: "Looks at a data file, step by step, in a notebook that you watch.",
			arguments: []promptArgument{
				{name: "file", description: "The data file, relative to the Jupyter server's root folder.", required: true, complete: completeFiles(d.deps, dataFiles...)},
				{name: "question", description: "What you want to know."},
			},
			text: d.exploreText,
		},
		{
			name: "review_notebook", title: "Review this notebook",
			description: "Reads a notebook and says what is wrong, unclear or missing, without changing it.",
			arguments: []promptArgument{
				notebook,
				{name: "focus", description: "What to look at most.", complete: completeWords("correctness", "reproducibility", "clarity", "performance", "statistics")},
			},
			text: d.reviewText,
		},
		{
			name: "fix_failing_cell", title: "Fix the failing cell",
			description: "Finds why a cell fails, mends it and runs it again.",
			arguments: []promptArgument{
				notebook,
				{name: "cell", description: "Index or id of the cell. Left out: the first that shows an error.", complete: d.completeFailing},
			},
			text: d.fixText,
		},
	}
	if d.activity != nil {
		all = append(all, d.continuePrompt())
	}
	return all
}

// continuePrompt makes continue_work.
func (d *provider) continuePrompt() prompt {
	return prompt{
		name: "continue_work", title: "Continue where I left off",
		description: "Goes on with what was worked on in earlier sessions.",
		arguments: []promptArgument{
			{name: "goal", description: "What to do next."},
		},
		text: d.continueText,
	}
}

// dataFiles are the endings of files that preview_data reads.
var dataFiles = []string{".csv", ".tsv", ".xlsx", ".parquet", ".jsonl", ".ndjson", ".feather", ".arrow", ".db", ".sqlite", ".sqlite3", ".json", ".gz"}

// addPrompts offers the prompts.
func addPrompts(s *server.MCPServer, d *provider, toolsets []string) {
	for _, p := range d.prompts {
		if !p.on(toolsets) {
			continue
		}
		options := []mcp.PromptOption{mcp.WithPromptDescription(p.description), mcp.WithPromptTitle(p.title)}
		for _, a := range p.arguments {
			about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.description)}
			if a.required {
				about = append(about, mcp.RequiredArgument())
			}
			options = append(options, mcp.WithArgument(a.name, about...))
		}
		s.AddPrompt(mcp.NewPrompt(p.name, options...), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			for _, a := range p.arguments {
				if a.lacks(req.Params.Arguments) {
					return nil, fmt.Errorf("the prompt %s needs %s: %s", p.name, a.name, a.description)
				}
			}
			text, err := p.text(ctx, req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return mcp.NewGetPromptResult(p.description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
		})
	}
}

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completer) CompletePromptArgument(ctx context.Context, name string, arg mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range c.d.prompts {
		for _, a := range p.arguments {
			if p.name == name && a.name == arg.Name && a.complete != nil {
				return completion(a.complete(ctx, arg.Value, given.Arguments), arg.Value), nil
			}
		}
	}
	return completion(nil, ""), nil
}

func completeWords(words ...string) func(context.Context, string, map[string]string) []string {
	return func(context.Context, string, map[string]string) []string { return words }
}

// completeFiles gives the files with one of the endings, and the folders, of the folder that the written part is in.
func completeFiles(d *deps, endings ...string) func(context.Context, string, map[string]string) []string {
	return func(ctx context.Context, written string, _ map[string]string) []string {
		folder := path.Dir(written)
		if folder == "." || !strings.Contains(written, "/") {
			folder = ""
		}
		c, err := d.manager.Server().Contents(ctx, folder, jupyter.ContentsOptions{Content: true, Type: "directory"})
		if err != nil {
			return nil // nothing to choose from; the prompt's own text says what is wrong with the file
		}
		entries, err := c.Entries()
		if err != nil {
			return nil
		}
		var files, folders []string
		for _, e := range entries {
			if e.Type == "directory" {
				folders = append(folders, e.Path+"/")
				continue
			}
			for _, ending := range endings {
				if strings.HasSuffix(strings.ToLower(e.Name), ending) {
					files = append(files, e.Path)
					break
				}
			}
		}
		slices.Sort(files) // the server lists them in no order
		slices.Sort(folders)
		return append(files, folders...)
	}
}

// completeFailing gives the ids of the cells that show an error.
func (d *provider) completeFailing(ctx context.Context, _ string, given map[string]string) []string {
	if given["path"] == "" {
		return nil
	}
	doc, err := d.manager.Open(ctx, given["path"])
	if err != nil {
		return nil
	}
	defer doc.Release()
	var ids []string
	for _, c := range doc.Notebook().Cells() {
		for _, out := range c.Outputs {
			if out.Type() == "error" {
				ids = append(ids, c.ID)
				break
			}
		}
	}
	return ids
}
