package resource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/session/store/project"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

type recordArgs struct {
	Topics    []string `json:"topics,omitempty" jsonschema:"Subjects of this session." validate:"min=1,max=20,dive,min=1,max=200"`
	Discovery string   `json:"discovery,omitempty" jsonschema:"The finding, in a sentence or two; of a solved issue, the problem." validate:"min=1,max=4000"`
	Solution  string   `json:"solution,omitempty" jsonschema:"How the issue was solved." validate:"min=1,max=4000"`
	Module    string   `json:"module,omitempty" jsonschema:"Module of the project file it belongs to." validate:"min=1,max=200"`
	AddTo     string   `json:"add_to,omitempty" jsonschema:"List of the module in the project file to add the discovery to." validate:"oneof=patterns businessRules commonIssues"`
}

// A RecordResult is the answer of record_context.
type RecordResult struct {
	Session     string `json:"session" jsonschema:"Id of this session."`
	Topics      int    `json:"topics" jsonschema:"Number of its topics."`
	Discoveries int    `json:"discoveries" jsonschema:"Number of its discoveries."`
	Project     string `json:"project,omitempty" jsonschema:"The project file."`
	Added       *bool  `json:"added,omitempty" jsonschema:"false if the project file already had it."`
}

// recordContext makes record_context.
func recordContext(d *Provider) tool.Tool {
	return tool.Tool{
		Name:        "record_context",
		Title:       "Record a finding",
		Toolset:     tool.ToolsetContext,
		Description: "Records a topic, a discovery or a solved issue for later sessions, which read it at " + URICurrentWork + " and " + URIRecent + ". Use it if something took effort to find out and will matter again. With add_to and module it is also added to the project file.",
		Output:      tool.ResultOf[RecordResult](nil),
		Call:        tool.Typed(d.record),
	}
}

func (d *Provider) record(ctx context.Context, args recordArgs) (*tool.Answer, error) {
	switch {
	case args.Discovery == "" && (args.Solution != "" || args.Module != "" || args.AddTo != ""):
		return nil, errors.New("solution, module and add_to describe a discovery: give discovery")
	case args.Discovery == "" && len(args.Topics) == 0:
		return nil, errors.New("nothing to record: give topics, a discovery, or both")
	case args.AddTo != "" && args.Module == "":
		return nil, errors.New("add_to needs a module: give module; " + URIOverview + " lists the modules")
	case args.AddTo == project.CommonIssues && args.Solution == "":
		return nil, errors.New("an issue needs a solution: give solution")
	}
	var found []activity.Discovery
	if args.Discovery != "" {
		found = []activity.Discovery{{Text: args.Discovery, Solution: args.Solution, Module: args.Module}}
	}
	client := activityClient(ctx)
	var out RecordResult
	var doc *session.Document
	if args.AddTo != "" {
		here, err := d.Activity.Noted(client, nil, nil) // begins the session, so that an issue is stored with its id
		if err != nil {
			return nil, err
		}
		var there bool
		if doc, there, err = d.Project.add(ctx, args.Module, args.AddTo, projectEntry(args, here.ID)); err != nil {
			return nil, fmt.Errorf("nothing was recorded: %w", err)
		}
		out.Project, out.Added = d.Project.Path.String(), new(!there)
	}
	s, err := d.Activity.Noted(client, args.Topics, found)
	if err != nil {
		return nil, err
	}
	out.Session, out.Topics, out.Discoveries = s.ID, len(s.Topics), len(s.Discoveries)
	return &tool.Answer{Body: out, Doc: deps.About(doc)}, nil
}

// projectEntry returns a discovery as an entry of the project file.
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
