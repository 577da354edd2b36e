package pair

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// answerBytes is the maximum size of an answer about changes.
const answerBytes = 20_000

type changesArgs struct {
	target.InNotebook
	Revision string `json:"revision,omitempty" jsonschema:"The notebook's, from an earlier answer. Left out: when you last read it." validate:"max=40"`
	Own      bool   `json:"own,omitempty" jsonschema:"Your own changes too." default:"false"`
}

// Check refuses a revision that is not one.
func (a changesArgs) Check() error {
	_, err := target.ParseRevisionOf(a.Revision, readFrom)
	return err
}

// A ChangesResult is the answer of changes_since and wait_for_change.
type ChangesResult struct {
	Path     string       `json:"path" jsonschema:"The notebook, without a leading slash."`
	Changes  []ChangeView `json:"changes" jsonschema:"The oldest first."`
	Revision string       `json:"revision" jsonschema:"Where to continue: the notebook's revision now or, with more, of the last change shown."`
	More     bool         `json:"more,omitempty" jsonschema:"Whether there are changes after the revision."`
	Message  string       `json:"message,omitempty"`
	waited   float64      // seconds waited without a change
}

// A ChangeView is a change in an answer.
type ChangeView struct {
	CellID string  `json:"cell_id"`
	Index  *int    `json:"index,omitempty" jsonschema:"Where the cell is now; absent if deleted."`
	What   string  `json:"what" jsonschema:"added, deleted, moved, given another type, edited, run, cleared; or several of them."`
	By     string  `json:"by"`
	Ago    int     `json:"seconds_ago"`
	After  *string `json:"after,omitempty" jsonschema:"For an added or moved cell: the id of the cell before it; empty at the top."`
	Type   string  `json:"cell_type,omitempty" jsonschema:"The type of an added cell, or its new type."`
	Diff   string  `json:"diff,omitempty" jsonschema:"Lines of a unified diff."`
	Note   string  `json:"note,omitempty" jsonschema:"Why a diff is incomplete."`
}

// changesSince makes changes_since.
func changesSince(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "changes_since",
		Title:       "Changes and their authors",
		Description: "Lists what people and other agents changed in a notebook since a revision from an earlier answer: cells added, deleted, moved, edited (as a diff), run, by whom. Use it before you rely on an earlier read.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.EitherOf(tool.DocumentResultOf[ChangesResult](nil), tool.DocumentResultOf[notebook.ReadResult](nil)),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args changesArgs) (*tool.Answer, error) {
			client := tool.ClientOf(ctx)
			if use, _ := d.Opened.Of(client, doc.FileID()); args.Revision == "" && use.Read != 0 {
				args.Revision = target.Revision(use.Read)
			}
			since, _ := target.ParseRevisionOf(args.Revision, readFrom) // checked before
			told, known := doc.History().Since(since)
			if !known {
				return unknown(ctx, d, doc, args.Revision)
			}
			return answer(ctx, d, doc, told, func(w changelog.Who) bool { return !args.Own && w.Is(client) }, nil)
		}),
	}
}

// readFrom says where a client finds the revision of a notebook.
const readFrom = "the answer in which you read the notebook"

// unknown answers with the whole notebook.
func unknown(ctx context.Context, d *deps.Deps, doc *session.Document, revision string) (*tool.Answer, error) {
	why := "you have not read this notebook since it was opened here. This is the current notebook"
	if revision != "" {
		why = fmt.Sprintf("the changes since revision %s are not known: it is older than the stored history, from before the file was reloaded or its room joined, or not a revision of this notebook. This is the current notebook", textfmt.Quoted(revision))
	}
	return notebook.ReadAll(ctx, d, doc, answerBytes, why)
}

// answer returns an answer with the changes, cut to size; if fits is not nil, only with the changes that fit.
func answer(ctx context.Context, d *deps.Deps, doc *session.Document, told *changelog.Delta, leaveOut func(changelog.Who) bool, fits func(changelog.Change) bool) (*tool.Answer, error) {
	r := render{doc: doc, roll: target.RollOf(ctx, doc), client: tool.ClientOf(ctx), told: told, leaveOut: leaveOut, fits: fits}
	out := r.result()
	if rev, err := target.ParseRevision(out.Revision); err == nil {
		d.Opened.Read(ctx, doc, rev)
	}
	var shown []string
	for _, c := range out.Changes {
		target.Touch(ctx, doc, c.CellID)
		shown = append(shown, c.CellID)
	}
	r.roll.Show(shown...)
	return &tool.Answer{Body: out, Doc: doc, Words: tool.Words(ctx, r.words(out))}, nil
}
