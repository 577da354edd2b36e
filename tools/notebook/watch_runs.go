package notebook

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

type watchArgs struct {
	RunID  string  `json:"run_id,omitempty" jsonschema:"The run to look at. Left out: lists your runs, latest first." validate:"max=40"`
	Wait   float64 `json:"wait,omitempty" jsonschema:"Maximum seconds to wait for its end; 0: do not wait." validate:"max=3600" default:"0"`
	Output *int    `json:"output,omitempty" jsonschema:"Pages through this output, from 0; -1 is text left out of the notebook." validate:"min=-1,max=1000000"`
	Offset *int    `json:"offset,omitempty" jsonschema:"With output: where the page begins." validate:"max=1000000000" default:"0"`
	OutputSize
}

// watchRuns makes watch_runs.
func watchRuns(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "watch_runs",
		Title:       "Look at runs, or wait",
		Toolset:     tool.ToolsetCore,
		Description: "Shows a running or ended run of cells, with its outputs, and with wait waits for it; without run_id lists your runs. Use it when a call returned before its cells had ended.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Asks:        true,
		Output:      tool.EitherOf(tool.ResultOf[PagedRun](nil), tool.ResultOf[ListRunsResult](nil)),
		Call: tool.Typed(func(ctx context.Context, args watchArgs) (*tool.Answer, error) {
			if args.RunID == "" {
				if args.Wait > 0 || args.Output != nil {
					return nil, errors.New("run_id is missing: wait and output are for one run; without them the call lists your runs")
				}
				return answerRuns(ctx, d, listRunsArgs{})
			}
			r, err := findRun(ctx, d, args.RunID)
			switch {
			case err != nil:
				return nil, err
			case args.Wait > 0 && args.Output == nil && tool.ValueOr(args.Offset, 0) == 0:
				return follow(ctx, d, r, Waiting{args.OutputSize, &args.Wait})
			}
			return look(ctx, d, r, getRunArgs{namedRun{args.RunID}, args.OutputSize, args.Output, args.Offset})
		}),
	}
}
