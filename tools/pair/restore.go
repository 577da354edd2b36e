package pair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type restoreArgs struct {
	target.InNotebook
	Revision string `json:"revision" jsonschema:"From an earlier answer; or before: the notebook before it lost or doubled its cells." validate:"min=1,max=40"`
}

// Check refuses a text that cannot be a revision.
func (a restoreArgs) Check() error {
	if a.Revision == session.Before {
		return nil
	}
	_, err := target.ParseRevisionOf(a.Revision, readFrom)
	return err
}

// A RestoreResult is the answer of restore_notebook.
type RestoreResult struct {
	Message  string   `json:"message"`
	Back     []string `json:"restored_cell_ids" jsonschema:"Cells that were gone and are back."`
	Changed  []string `json:"changed_cell_ids" jsonschema:"Cells that have their former source or place again. Read them before you change them."`
	Removed  int      `json:"removed" jsonschema:"How many doubled or empty cells were removed."`
	Revision string   `json:"revision" changes:"the notebook"`
}

// restoreNotebook makes restore_notebook.
func restoreNotebook(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "restore_notebook",
		Title:       "Restore an earlier state",
		Description: "Brings a notebook back to an earlier revision, or to before its cells were lost or doubled (revision before). Only if the user asks for it. Cells added since stay. It can be undone as one edit.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[RestoreResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args restoreArgs) (*tool.Answer, error) {
			target.TouchLater(ctx, doc)
			r, err := session.Kept{Document: doc}.Restore(ctx, args.Revision)
			if err != nil {
				return nil, err
			}
			target.Touch(ctx, doc, slices.Concat(r.Back, r.Changed)...)
			out := &RestoreResult{Back: append([]string{}, r.Back...), Changed: append([]string{}, r.Changed...), Removed: r.Removed, Revision: target.Revision(target.Now(doc))}
			out.Message = fmt.Sprintf("Successfully restored the notebook of %s: %s back, %d changed, %d removed", r.Snapshot.At.Format(time.DateTime), textfmt.Plural(len(r.Back), "cell"), len(r.Changed), r.Removed)
			if len(r.Back) > 0 {
				out.Message += "; the outputs are from its file"
			}
			return &tool.Answer{Body: out, Doc: doc, Words: tool.Words(ctx, func() plaintext.Text { return plaintext.Text{First: out.Message + ", revision " + out.Revision} })}, nil
		}),
	}
}
