package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
)

type executeCodeArgs struct {
	either
	ID       string `json:"session_id"`
	Code     string `json:"code"`
	KernelID string `json:"kernel_id"`
}

// executeCode makes execute_code.
func executeCode(p *parts) tool {
	d := p.deps
	return tool{
		name:    "execute_code",
		title:   "Run code",
		toolset: toolsetAnalysis,
		also:    []string{toolsetDatalayer, toolsetToday},
		description: "Runs code in an analysis session's kernel and returns what it printed, its value, and its images, which are shown beside the JSON. Variables stay for the next call. " +
			"In a session with a notebook the code becomes a cell at the notebook's end, for people to see. Costs the time the code takes, at most timeout seconds, and up to maxOutputSize characters; code that takes longer goes on running under its run_id. " +
			"Without session_id it runs in the kernel with the kernel_id, or that of the notebook made current by use_notebook, leaves no cell, and answers with a list of texts and images.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			optional("session_id", sessionIDSchema().orNull()),
			required("code", text("In the kernel's language, mostly Python.").length(1, maxSource)),
			optional("kernel_id", text("Running kernel to run the code in, in place of session_id.").length(0, 200).orNull()),
		}, codeProperties(int(defaultCodeTimeout))...)...),
		output: eitherSchema(),
		handle: typed(func(ctx context.Context, args executeCodeArgs) (*answer, error) {
			switch {
			case args.ID != "" && args.KernelID != "":
				return nil, errors.New("session_id and kernel_id are both given: give one of them")
			case args.ID == "":
				w := args.used().watch("code.execute", int(defaultCodeTimeout))
				return p.theirs.runUsedCode(ctx, args.Code, args.KernelID, w, args.codeOptions)
			}
			if err := args.either.check(); err != nil {
				return nil, err
			}
			a, doc, err := d.sessionNotebook(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if doc == nil {
				r, err := a.Run(args.Code, session.RunOptions{Ask: asker(ctx)})
				if err != nil {
					return nil, analysisError(err)
				}
				return d.answerCode(ctx, r, nil, args.codeOptions, func(*int) images.Origin { return d.gallery.ofCode(r, args.Code) })
			}
			defer doc.Release()
			source := lines(args.Code)
			if marked(source) {
				return nil, errors.New("code " + markedWhy)
			}
			r, err := doc.RunNew(ctx, source, cellRun(ctx, a))
			if err != nil {
				return nil, err
			}
			answer, err := d.answerCell(ctx, a, doc, r, args.codeOptions)
			if err != nil {
				return nil, fmt.Errorf("the code was put into cell %s of %s, do not insert it again: %w", quoted(r.CellID), doc.Path(), err)
			}
			return answer, nil
		}),
	}
}
