package pair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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
	Revision string `json:"revision,omitempty" jsonschema:"From an earlier answer. Left out: your last read." validate:"max=40"`
	Time     string `json:"time,omitempty" jsonschema:"Or a time: yesterday 18:00." validate:"max=40"`
	Own      bool   `json:"own,omitempty" jsonschema:"Your own changes too." default:"false"`
}

// Check refuses a revision or a time that is not one.
func (a changesArgs) Check() error {
	if a.Revision != "" && a.Time != "" {
		return errors.New("revision and time are both given: give one of them")
	}
	if a.Time != "" {
		_, err := parseTime(a.Time, time.Now())
		return err
	}
	_, err := target.ParseRevisionOf(a.Revision, readFrom)
	return err
}

// parseTime parses a time of today, of yesterday or of a date, in the time zone of this program.
func parseTime(s string, now time.Time) (time.Time, error) {
	text := strings.Join(strings.Fields(strings.ToLower(s)), " ")
	day := now
	if rest, ok := strings.CutPrefix(text, "yesterday"); ok {
		text, day = strings.TrimSpace(rest), now.AddDate(0, 0, -1)
	} else if rest, ok := strings.CutPrefix(text, "today"); ok {
		text = strings.TrimSpace(rest)
	}
	if text == "" {
		text = "00:00"
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location()), nil
		}
	}
	if day.Equal(now) {
		for _, layout := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly, time.RFC3339} {
			if t, err := time.ParseInLocation(layout, strings.ToUpper(text), now.Location()); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time: write 18:00, yesterday 18:00 or 2026-11-27 18:00", textfmt.Quoted(s))
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
		Description: "Lists what people and other agents changed in a notebook since an earlier answer or a time: cells added, deleted, moved, edited (diff), run, by whom. Use it before relying on old reads.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.EitherOf(tool.DocumentResultOf[ChangesResult](nil), tool.DocumentResultOf[notebook.ReadResult](nil)),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args changesArgs) (*tool.Answer, error) {
			client := tool.ClientOf(ctx)
			if use, _ := d.Opened.Of(client, doc.FileID()); args.Revision == "" && args.Time == "" && use.Read != 0 {
				args.Revision = target.Revision(use.Read)
			}
			told, from, known := args.find(ctx, doc)
			if !known {
				return unknown(ctx, d, doc, args)
			}
			a, err := answer(ctx, d, doc, told, func(w changelog.Who) bool { return !args.Own && w.Is(client) }, nil)
			if from.Name == "" || err != nil {
				return a, err
			}
			if out, ok := a.Body.(*ChangesResult); ok {
				out.Message = strings.TrimPrefix(out.Message+"; compared with the notebook of "+from.At.Format(time.DateTime)+", revision "+from.Name+": by whom is not known, and yours are among them", "; ")
			}
			return a, err
		}),
	}
}

// readFrom says where a client finds the revision of a notebook.
const readFrom = "the answer in which you read the notebook"

// find returns the changes since the revision or the time; from is the snapshot that they were compared with, if the log does
// not know them.
func (a changesArgs) find(ctx context.Context, doc *session.Document) (told *changelog.Delta, from changelog.Snapshot, known bool) {
	log, at := doc.History(), time.Now()
	since, _ := target.ParseRevisionOf(a.Revision, readFrom) // checked before
	if a.Time != "" {
		at, _ = parseTime(a.Time, at)
	} else if told, known = log.Since(since); known {
		return told, from, true
	}
	if a.Revision == "" && a.Time == "" {
		if a.Revision, at = (session.Kept{Document: doc}).Looked(ctx); a.Revision == "" {
			return nil, from, false
		}
		if told, from, known = log.Before(ctx, a.Revision, at); known {
			return told, from, true
		}
		a.Revision = "" // this program was killed before it kept the revision
	}
	return log.Before(ctx, a.Revision, at)
}

// unknown answers with the whole notebook.
func unknown(ctx context.Context, d *deps.Deps, doc *session.Document, a changesArgs) (*tool.Answer, error) {
	why := "you have not read this notebook since it was opened here. This is the current notebook"
	switch {
	case a.Time != "":
		why = fmt.Sprintf("the changes since %s are not known: the notebook was not open here before. This is the current notebook", textfmt.Quoted(a.Time))
	case a.Revision != "":
		why = fmt.Sprintf("the changes since revision %s are not known: it is older than the stored history, or not a revision of this notebook. This is the current notebook", textfmt.Quoted(a.Revision))
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
