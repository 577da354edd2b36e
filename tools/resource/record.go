package resource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/session/project"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

type recordArgs struct {
	Topics    []string `json:"topics"`
	Discovery string   `json:"discovery"`
	Solution  string   `json:"solution"`
	Module    string   `json:"module"`
	AddTo     string   `json:"add_to"`
}

type RecordResult struct {
	Session     string `json:"session"`
	Topics      int    `json:"topics"`
	Discoveries int    `json:"discoveries"`
	Project     string `json:"project,omitempty"`
	Added       *bool  `json:"added,omitempty"`
}

// recordContext makes record_context.
func recordContext(d *Provider) tool.Tool {
	return tool.Tool{
		Name:    "record_context",
		Title:   "Keep what was found out",
		Toolset: tool.ToolsetContext,
		Description: "Keeps a topic, a discovery or a solved issue of this session for later ones, which read it at " + UriCurrentWork + " and " + UriRecent + ". " +
			"With add_to and module it is written into the project file as well, which people see at once if they have it open; comments and order stay. " +
			"Use it when something took effort to find out and will matter again.",
		Marks: tool.Marks{},
		Input: tool.Arguments(
			tool.Optional("topics", tool.List("What this session is about.", tool.Text("").Length(1, 200)).Items(1, 20)),
			tool.Optional("discovery", tool.Text("What was found out, in a sentence or two; of a solved issue, the problem.").Length(1, 4000)),
			tool.Optional("solution", tool.Text("How the issue was solved.").Length(1, 4000)),
			tool.Optional("module", tool.Text("Module of the project file that it is about.").Length(1, 200)),
			tool.Optional("add_to", tool.OneOf("List of the module in the project file to add the discovery to.", project.Patterns, project.BusinessRules, project.CommonIssues)),
		),
		Output: tool.Object("",
			tool.Required("session", tool.Text("Id of this session.")),
			tool.Required("topics", tool.Integer("Topics that it has now.")),
			tool.Required("discoveries", tool.Integer("Discoveries that it has now.")),
			tool.Optional("project", tool.Text("The project file that was added to.")),
			tool.Optional("added", tool.Boolean("false where the project file had it already.")),
		),
		Handle: tool.Typed(d.record),
	}
}

func (d *Provider) record(ctx context.Context, args recordArgs) (*tool.Answer, error) {
	switch {
	case args.Discovery == "" && (args.Solution != "" || args.Module != "" || args.AddTo != ""):
		return nil, errors.New("solution, module and add_to say more of a discovery, and there is none: give discovery")
	case args.Discovery == "" && len(args.Topics) == 0:
		return nil, errors.New("there is nothing to keep: give topics, a discovery, or both")
	case args.AddTo != "" && args.Module == "":
		return nil, errors.New("add_to names a list of a module, and there is no module: give module; " + UriOverview + " lists them")
	case args.AddTo == project.CommonIssues && args.Solution == "":
		return nil, errors.New("an issue is kept with its solution: give solution")
	}
	var found []activity.Discovery
	if args.Discovery != "" {
		found = []activity.Discovery{{Text: args.Discovery, Solution: args.Solution, Module: args.Module}}
	}
	client := activityClient(ctx)
	var out RecordResult
	var doc *session.Document
	if args.AddTo != "" {
		here, err := d.Activity.Noted(client, nil, nil) // begins the session, whose id is kept with an issue
		if err != nil {
			return nil, err
		}
		var there bool
		if doc, there, err = d.Project.add(ctx, args.Module, args.AddTo, projectEntry(args, here.ID)); err != nil {
			return nil, fmt.Errorf("nothing was kept: %w", err)
		}
		added := !there
		out.Project, out.Added = d.Project.Path, &added
	}
	s, err := d.Activity.Noted(client, args.Topics, found)
	if err != nil {
		return nil, err
	}
	out.Session, out.Topics, out.Discoveries = s.ID, len(s.Topics), len(s.Discoveries)
	return &tool.Answer{Body: out, Doc: desk.About(doc)}, nil
}

// projectEntry is a discovery as the project file has it.
func projectEntry(args recordArgs, sessionID string) any {
	if args.AddTo == project.CommonIssues {
		return project.Issue{
			Description: args.Discovery, Solution: args.Solution,
			DiscoveredAt: time.Now().UTC().Format(time.DateOnly), SessionID: sessionID[:8],
		}
	}
	if args.Solution != "" {
		return args.Discovery + ": " + args.Solution
	}
	return args.Discovery
}
