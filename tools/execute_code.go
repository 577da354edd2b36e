package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
)

type executeCodeArgs struct {
	inSessionOrNot
	Code     string `json:"code" jsonschema:"In the kernel's language, usually Python." validate:"min=1,max=source"`
	KernelID string `json:"kernel_id,omitempty" jsonschema:"Running kernel to use instead of session_id." validate:"max=200,null"`
	either
}

// Refine implements tool.Refiner.
func (executeCodeArgs) Refine(f tool.Fields) {
	sayTimeout(f, int(analysis.DefaultCodeTimeout))
}

// executeCode makes execute_code.
func executeCode(p *parts) tool.Tool {
	d := p.Deps
	return tool.Tool{
		Name:        "execute_code",
		Title:       "Run code",
		Toolset:     tool.ToolsetAnalysis,
		Also:        []string{tool.ToolsetDatalayer, tool.ToolsetToday},
		Description: "Runs code in the kernel of an analysis session, or of kernel_id or the current notebook, and returns its output. In a session with a notebook it is appended as a cell and continues after timeout seconds under its run_id; without session_id it leaves no cell.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      eitherSchema(),
		Call: tool.Typed(func(ctx context.Context, args executeCodeArgs) (*tool.Answer, error) {
			switch {
			case args.ID != "" && args.KernelID != "":
				return nil, errors.New("session_id and kernel_id are both given: give one of them")
			case args.ID == "":
				w := args.used().Watch("code.execute", int(analysis.DefaultCodeTimeout))
				return p.datalayer.RunUsedCode(ctx, args.Code, args.KernelID, w, args.CodeOptions)
			}
			if err := args.either.check(); err != nil {
				return nil, err
			}
			a, doc, err := d.SessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				if err := d.Manager.KernelsThere(ctx); err != nil {
					return nil, fmt.Errorf("nothing was run: %w", err)
				}
				r, err := a.Run(args.Code, run.Options{Ask: waiting.Asker(ctx)})
				if err != nil {
					return nil, deps.AnalysisError(err)
				}
				return analysis.AnswerCode(ctx, d, r, nil, args.CodeOptions, func() waiting.Outcome { return d.OutcomeOfCode(ctx, r, args.Code) })
			}
			defer doc.Release()
			source := textfmt.Lines(args.Code)
			if textfmt.Marked(source) {
				return nil, errors.New("code " + tool.MarkedWhy)
			}
			r, err := doc.RunNew(ctx, source, analysis.CellRun(ctx, a))
			if err != nil {
				return nil, err
			}
			answer, err := analysis.AnswerCell(ctx, d, a, doc, r, args.CodeOptions)
			if err != nil {
				return nil, fmt.Errorf("the code is in cell %s of %s, do not insert it again: %w", textfmt.Quoted(r.CellID), doc.Path(), err)
			}
			return answer, nil
		}),
	}
}
