package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

type editTextArgs struct {
	Path       string            `json:"path" jsonschema:"Notebook or text document." validate:"min=1,max=path"`
	Old        string            `json:"old_text" jsonschema:"The exact text to replace." validate:"min=1,max=source"`
	New        string            `json:"new_text" validate:"max=4000000"`
	Range      *target.CellRange `json:"range,omitempty" jsonschema:"Cells to search. Left out: all of the notebook."`
	CellID     string            `json:"cell_id,omitempty" validate:"max=id,cellid"`
	All        bool              `json:"replace_all,omitempty" jsonschema:"Replace every occurrence." default:"false"`
	Occurrence *int              `json:"occurrence,omitempty" jsonschema:"Replace only this one, counted from 1." validate:"min=1,max=1000000"`
	target.Reasoned
}

// Refine implements tool.Refiner. The name cell_id is from before range.
func (editTextArgs) Refine(f tool.Fields) { f.Hide("cell_id") }

// An EditTextResult is the answer of edit_text.
type EditTextResult struct {
	Message  string `json:"message"`
	CellID   string `json:"cell_id,omitempty"`
	Replaced int    `json:"replaced" jsonschema:"Occurrences that were replaced."`
	Diff     string `json:"diff" jsonschema:"The change, cut in the middle if long."`
	Revision string `json:"revision,omitempty" changes:"the text"`
	Merged   bool   `json:"merged,omitempty" jsonschema:"true if others changed it at the same time: read it again before the next edit."`
}

// diffShown is the maximum shown length of a difference, in characters.
const diffShown = 4000

// editByText makes edit_text.
func editByText(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "edit_text",
		Title:       "Replace text",
		Toolset:     tool.ToolsetCore,
		Description: "Replaces a piece of text in a notebook's cell or a text document, for a small change; nothing is run. old_text must occur exactly once, white space included, unless you give replace_all or occurrence. Text that people type elsewhere stays.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[EditTextResult](nil),
		Call: tool.Typed(func(ctx context.Context, args editTextArgs) (*tool.Answer, error) {
			r := replacement{old: textfmt.Lines(args.Old), put: textfmt.Lines(args.New), all: args.All, only: tool.ValueOr(args.Occurrence, 0)}
			switch {
			case r.all && r.only > 0:
				return nil, errors.New("replace_all and occurrence are both given: give one of them; nothing was changed")
			case textfmt.Marked(r.put):
				return nil, fmt.Errorf("new_text %s; nothing was changed", tool.MarkedWhy)
			case args.Range != nil && args.CellID != "":
				return nil, errors.New("range and cell_id are both given: give range alone; nothing was changed")
			case r.old == r.put:
				return nil, errors.New("old_text and new_text are the same; nothing was changed")
			}
			if args.CellID != "" {
				args.Range = &target.CellRange{ID: args.CellID}
			}
			doc, err := Open(ctx, d, args.Path)
			if broken, ok := errors.AsType[*files.BrokenError](err); ok && args.Range == nil {
				return r.mend(ctx, d, broken)
			}
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cell, err := r.cell(ctx, doc, args.Range)
			if err != nil {
				return nil, err
			}
			done, err := doc.As(tool.ClientOf(ctx)).Replace(ctx, cell, r.make)
			if err != nil {
				return nil, err
			}
			out := EditTextResult{CellID: cell, Replaced: r.made, Merged: done.Merged}
			out.Message = "Successfully replaced " + textfmt.Plural(r.made, "occurrence")
			out.Diff, _ = textfmt.Cut(datauri.Short(textdiff.Unified("text", done.Was, done.Now, 1)), diffShown)
			if done.Revision != 0 {
				out.Revision = target.Revision(done.Revision)
			}
			return &tool.Answer{Body: &out, Doc: doc, Words: out.words(ctx, doc)}, nil
		}),
	}
}

// words says where and how often the text was replaced, and shows the change if it was merged with others.
func (r *EditTextResult) words(ctx context.Context, doc *session.Document) func() plaintext.Text {
	say := func(where string) plaintext.Text {
		t := plaintext.Text{First: "replaced " + textfmt.Thousands(r.Replaced) + " in " + where}
		if r.Merged {
			t.Add(plaintext.Block{Head: " merged with text typed at the same time:", Body: plaintext.Changed(r.Diff)})
		}
		return t
	}
	if r.CellID == "" {
		return tool.Words(ctx, func() plaintext.Text { return say(doc.Path().String() + "; revision " + r.Revision) })
	}
	return target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text {
		return say(roll.Names(r.CellID) + "; " + roll.Changed(r.Revision, r.CellID))
	})
}

// A replacement is a change of a text that quotes the old text.
type replacement struct {
	old, put string
	all      bool
	only     int // the occurrence to replace, from 1; 0 if it must be the only one
	made     int // the number of replacements
}

// cell finds the cell of a notebook that contains the text; "" for a text document.
func (r *replacement) cell(ctx context.Context, doc *session.Document, within *target.CellRange) (id string, err error) {
	nb := doc.Notebook()
	switch {
	case nb == nil && within != nil:
		return "", fmt.Errorf("%s is a text document, which has no cells: leave range out; nothing was changed", textfmt.Quoted(doc.Path().String()))
	case nb == nil:
		return "", nil
	}
	where, in, cells := "any cell", []ydoc.Cell(nil), nb.Cells()
	if within != nil {
		if in, err = within.Cells("range", target.ViewOf(ctx, doc)); err != nil || len(in) == 1 {
			return lo.FirstOrEmpty(in).ID, err
		}
		where = "any cell of the range"
	}
	var at []int
	var all strings.Builder
	for i, c := range cells {
		if within != nil && !slices.ContainsFunc(in, func(o ydoc.Cell) bool { return o.ID == c.ID }) {
			continue
		}
		text := datauri.Form(c.Source, r.old)
		if strings.Contains(text, r.old) {
			at = append(at, i)
			id = c.ID
		}
		all.WriteString(text + "\n")
	}
	switch {
	case len(at) == 0:
		return "", r.missing(all.String(), where)
	case len(at) > 1:
		doc.As(tool.ClientOf(ctx)).List(cells, at...)
		const most = 10
		more := ""
		if len(at) > most {
			at, more = at[:most], fmt.Sprintf(" and %d more", len(at)-most)
		}
		having := lo.Map(at, func(i int, _ int) string { return fmt.Sprintf("%d (id %s)", i, textfmt.Quoted(cells[i].ID)) })
		return "", fmt.Errorf("old_text occurs in several cells: %s%s; give range with the id of one; nothing was changed", strings.Join(having, ", "), more)
	}
	target.Touch(ctx, doc, id)
	return id, nil
}

// make makes the change in a text, in the form that the client was shown.
func (r *replacement) make(text string) (string, error) {
	return datauri.Edit("text", text, r.old, r.replace)
}

func (r *replacement) replace(text string) (string, error) {
	n := strings.Count(text, r.old)
	if overlapping(text, r.old) && !r.all {
		n++ // an overlapping occurrence is as ambiguous as a second one
	}
	switch {
	case n == 0:
		return "", r.missing(text, "the text")
	case r.all:
		r.made = n
		return strings.ReplaceAll(text, r.old, r.put), nil
	case r.only > n:
		return "", fmt.Errorf("occurrence %d: old_text occurs only %s: %s; nothing was changed", r.only, times(n), r.places(text))
	case n > 1 && r.only == 0:
		return "", fmt.Errorf("old_text is not unique, it occurs %s: %s; give more of the surrounding text, or occurrence, or replace_all true; nothing was changed", times(n), r.places(text))
	}
	at := 0
	for i := 1; ; i++ {
		at += strings.Index(text[at:], r.old)
		if i >= r.only {
			break
		}
		at += len(r.old)
	}
	r.made = 1
	return text[:at] + r.put + text[at+len(r.old):], nil
}

// overlapping reports whether a text has one occurrence of old, and another one that overlaps it.
func overlapping(text, old string) bool {
	first := strings.Index(text, old)
	return first >= 0 && strings.Count(text, old) == 1 && strings.Contains(text[first+1:], old)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%s times", textfmt.Thousands(n))
}

const placesShown = 5

// places names the lines that contain the text.
func (r *replacement) places(text string) string {
	var parts []string
	for at := 0; ; {
		i := strings.Index(text[at:], r.old)
		if i < 0 {
			break
		}
		if at += i; len(parts) == placesShown {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, lineAt(text, at))
		at += len(r.old)
	}
	return strings.Join(parts, ", ")
}

// lineAt names the line of a byte of a text.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	line, _ = textfmt.Cut(strings.TrimSpace(line), 80)
	return fmt.Sprintf("line %d (%s)", strings.Count(text[:at], "\n")+1, textfmt.Quoted(line))
}
