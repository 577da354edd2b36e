package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/session/project"
)

type recordArgs struct {
	Topics    []string `json:"topics"`
	Discovery string   `json:"discovery"`
	Solution  string   `json:"solution"`
	Module    string   `json:"module"`
	AddTo     string   `json:"add_to"`
}

type recordResult struct {
	Session     string `json:"session"`
	Topics      int    `json:"topics"`
	Discoveries int    `json:"discoveries"`
	Project     string `json:"project,omitempty"`
	Added       *bool  `json:"added,omitempty"`
}

// recordContext makes record_context.
func recordContext(d *provider) tool {
	return tool{
		name:    "record_context",
		title:   "Keep what was found out",
		toolset: ToolsetContext,
		description: "Keeps a topic, a discovery or a solved issue of this session for later ones, which read it at " + uriCurrentWork + " and " + uriRecent + ". " +
			"With add_to and module it is written into the project file as well, which people see at once if they have it open; comments and order stay. " +
			"Use it when something took effort to find out and will matter again.",
		marks: marks{},
		input: arguments(
			optional("topics", list("What this session is about.", text("").length(1, 200)).items(1, 20)),
			optional("discovery", text("What was found out, in a sentence or two; of a solved issue, the problem.").length(1, 4000)),
			optional("solution", text("How the issue was solved.").length(1, 4000)),
			optional("module", text("Module of the project file that it is about.").length(1, 200)),
			optional("add_to", oneOf("List of the module in the project file to add the discovery to.", project.Patterns, project.BusinessRules, project.CommonIssues)),
		),
		output: object("",
			required("session", text("Id of this session.")),
			required("topics", integer("Topics that it has now.")),
			required("discoveries", integer("Discoveries that it has now.")),
			optional("project", text("The project file that was added to.")),
			optional("added", boolean("false where the project file had it already.")),
		),
		handle: typed(d.record),
	}
}

func (d *provider) record(ctx context.Context, args recordArgs) (*answer, error) {
	switch {
	case args.Discovery == "" && (args.Solution != "" || args.Module != "" || args.AddTo != ""):
		return nil, errors.New("solution, module and add_to say more of a discovery, and there is none: give discovery")
	case args.Discovery == "" && len(args.Topics) == 0:
		return nil, errors.New("there is nothing to keep: give topics, a discovery, or both")
	case args.AddTo != "" && args.Module == "":
		return nil, errors.New("add_to names a list of a module, and there is no module: give module; " + uriOverview + " lists them")
	case args.AddTo == project.CommonIssues && args.Solution == "":
		return nil, errors.New("an issue is kept with its solution: give solution")
	}
	var found []activity.Discovery
	if args.Discovery != "" {
		found = []activity.Discovery{{Text: args.Discovery, Solution: args.Solution, Module: args.Module}}
	}
	client := activityClient(ctx)
	var out recordResult
	var doc *session.Document
	if args.AddTo != "" {
		here, err := d.activity.Noted(client, nil, nil) // begins the session, whose id is kept with an issue
		if err != nil {
			return nil, err
		}
		var there bool
		if doc, there, err = d.project.add(ctx, args.Module, args.AddTo, projectEntry(args, here.ID)); err != nil {
			return nil, fmt.Errorf("nothing was kept: %w", err)
		}
		added := !there
		out.Project, out.Added = d.project.path, &added
	}
	s, err := d.activity.Noted(client, args.Topics, found)
	if err != nil {
		return nil, err
	}
	out.Session, out.Topics, out.Discoveries = s.ID, len(s.Topics), len(s.Discoveries)
	return &answer{body: out, doc: about(doc)}, nil
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
