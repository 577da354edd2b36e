package datalayer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// editTool is the tool's name, which begins its errors.
const editTool = "edit_cell_source"

// insertAt is the argument of a tool that inserts a cell.
type insertAt struct {
	Index int `json:"cell_index" jsonschema:"Index of the new cell, from 0; -1 appends it." validate:"min=-1,max=index"`
}

type insertCellArgs struct {
	insertAt
	Type   string `json:"cell_type" validate:"oneof=code markdown raw"`
	Source string `json:"cell_source" jsonschema:"Source of the cell. Line ends are stored as \\n." validate:"max=source"`
	inNotebook
}

func (a insertCellArgs) Check() error { return checkNewSource(a.Source) }

// checkNewSource refuses a source that contains the mark of a cut text.
func checkNewSource(source string) error {
	if err := tool.Whole(source); err != nil {
		return fmt.Errorf("cell_source %w; nothing was inserted", err)
	}
	return nil
}

// insertCell makes insert_cell.
func insertCell(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "insert_cell",
		Title:       "Insert a cell",
		Description: "Inserts one cell into a notebook without running it, and returns an overview of the cells around it; people who have the notebook open see it at once. Use it for text and for code that should not run. Costs little.",
		Ordered:     true,
		Output:      tool.DocumentResultOf[textResult](nil),
		Call: inUsed(d, func(ctx context.Context, doc *session.Document, args insertCellArgs) (*tool.Answer, error) {
			id, err := insertUsed(ctx, doc, args)
			if err != nil {
				return nil, err
			}
			cells := doc.Notebook().Cells()
			at, _ := doc.Notebook().Index(id)
			from := max(0, at-5)
			if len(cells)-at < 5 {
				from = max(0, len(cells)-10)
			}
			out := &textResult{Kind: "cell.insert", CellID: id}
			out.Result = fmt.Sprintf("Cell inserted successfully at index %d (%s)!\nNotebook now has %d cells, showing surrounding cells:\n%s",
				at, args.Type, len(cells), overview(cells, from, 10))
			noteOverview(ctx, doc, cells, from, 10)
			return out.answer(doc), nil
		}),
	})
}

type overwriteCellArgs struct {
	UsedCell
	Source   string `json:"cell_source" jsonschema:"The whole new source. Line ends are stored as \\n." validate:"max=source"`
	Revision string `json:"revision,omitempty" jsonschema:"Revision of the cell that the new source is based on. Left out: the one you were shown." validate:"min=1,max=20"`
	target.Forced
}

// overwriteCellSource makes overwrite_cell_source.
func overwriteCellSource(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "overwrite_cell_source",
		Title:       "Overwrite a cell's source",
		Description: "Replaces the source of a cell without running it, and returns the difference. Read it first. Your change to the source that you last read or wrote is merged with text that people typed since; if both changed the same words, nothing is written.",
		Hints:       tool.Hints{Destructive: true, Idempotent: true},
		Output:      tool.DocumentResultOf[textResult](nil),
		Call: inUsedCell(d, func(ctx context.Context, cell foundCell, args overwriteCellArgs) (*textResult, error) {
			changed, err := notebook.Modify(ctx, cell.doc, []notebook.Modification{{Range: target.CellRange{ID: cell.Exactly()}, Content: &args.Source, Revision: args.Revision}}, args.Force)
			if err != nil {
				return nil, err
			}
			now, _ := cell.doc.Notebook().Cell(cell.ID)
			out := changedText("cell.overwrite", cell.at, "overwritten", cell.Cell, now.Source)
			if len(changed.Merged) > 0 {
				out.Result += "\n\n[Merged with others' changes since you were last shown the cell. Diff against your text:]\n\n```diff\n" + changed.Merged[0].Diff + "```"
			}
			return out, nil
		}),
	})
}

// changedText reports the change of a cell's source.
func changedText(kind string, at int, did string, was ydoc.Cell, now string) *textResult {
	out := &textResult{Kind: kind, CellID: was.ID}
	difference := lineDiff(was.Source, now)
	if difference == "" {
		out.Result = fmt.Sprintf("Cell %d %s successfully - no changes detected", at, did)
		return out
	}
	difference, _ = textfmt.Cut(difference, notebook.MaxCellData)
	out.Result = fmt.Sprintf("Cell %d %s successfully!\n\n```diff\n%s\n```", at, did, difference)
	return out
}

type editSourceArgs struct {
	UsedCell
	Old string `json:"old_string" jsonschema:"Text to replace, not a pattern; it may span lines. Line ends are stored as \\n." validate:"min=1,max=source"`
	New string `json:"new_string" jsonschema:"New text. Line ends are stored as \\n." validate:"max=source"`
	All bool   `json:"replace_all,omitempty" jsonschema:"Replace every occurrence." default:"false"`
}

func (a editSourceArgs) Check() error {
	if textfmt.Marked(a.New) {
		return fmt.Errorf("new_string %s; nothing was changed", tool.MarkedWhy)
	}
	return nil
}

// editCellSource makes edit_cell_source.
func editCellSource(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        editTool,
		Title:       "Replace text in a cell",
		Description: "Replaces a string in a cell's current source without running the cell, and returns the difference. Use it for small changes. The string must occur exactly once, including white space, unless replace_all is set. Text that people type elsewhere in the cell is kept.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[textResult](nil),
		Call: inUsedCell(d, func(ctx context.Context, cell foundCell, args editSourceArgs) (*textResult, error) {
			done, err := cell.doc.As(tool.ClientOf(ctx)).Replace(ctx, cell.ID, args.replaced)
			if err != nil {
				return nil, err
			}
			cell.Source = done.Was
			return changedText("cell.edit", cell.at, "edited", cell.Cell, done.Now), nil
		}),
	})
}

// replaced returns a source with the replacement made.
func (a editSourceArgs) replaced(source string) (string, error) {
	return datauri.Edit("source", source, textfmt.Lines(a.Old), a.replace)
}

func (a editSourceArgs) replace(source string) (string, error) {
	old, fresh := textfmt.Lines(a.Old), textfmt.Lines(a.New)
	first := strings.Index(source, old)
	switch {
	case first < 0:
		return "", errors.New("old_string not found in cell source; nothing was changed: read the cell, and copy the string exactly")
	case a.All:
		return strings.ReplaceAll(source, old, fresh), nil
	case strings.Contains(source[first+1:], old):
		//nolint:staticcheck // It begins with a capital, as their clients know errors by how they begin.
		return "", errors.New("Error executing tool " + editTool + ": old_string is not unique in cell source; nothing was changed: give more surrounding text, or replace_all true")
	}
	return strings.Replace(source, old, fresh, 1), nil
}

type moveUsedArgs struct {
	Source *int `json:"source_index,omitempty" jsonschema:"Index of the cell, from 0. Needed unless source_cell_id is given." validate:"max=index,null"`
	Target *int `json:"target_index,omitempty" jsonschema:"Its new index. Needed unless target_cell_id is given." validate:"max=index,null"`
	inNotebook
	SourceID string `json:"source_cell_id,omitempty" jsonschema:"Id of the cell, instead of source_index." validate:"min=1,max=id,null,cellid"`
	TargetID string `json:"target_cell_id,omitempty" jsonschema:"Id of the cell whose place it takes, instead of target_index." validate:"min=1,max=id,null,cellid"`
	Revision string `json:"revision,omitempty" jsonschema:"Revision of the cell that you have read. Left out: moved even if it changed." validate:"min=1,max=20"`
	target.Forced
}

func (a moveUsedArgs) Check() error {
	if (a.Source == nil && a.SourceID == "") || (a.Target == nil && a.TargetID == "") {
		return errors.New("give source_index or source_cell_id, and target_index or target_cell_id")
	}
	_, err := target.ParseRevision(a.Revision)
	return err
}

// moveCell makes move_cell.
func moveCell(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:  "move_cell",
		Title: "Move a cell",
		Description: "Moves a cell to the place of another, and returns an overview of the cells around it: in A, B, C, D, moving 1 to 3 gives A, C, D, B. " +
			"It keeps its id, outputs and metadata. A cell in which a person is typing is not moved. Costs little.",
		Output: tool.DocumentResultOf[textResult](nil),
		Call: inUsed(d, func(ctx context.Context, doc *session.Document, args moveUsedArgs) (*tool.Answer, error) {
			base, _ := target.ParseRevision(args.Revision) // checked before
			view := target.ViewOf(ctx, doc)
			cell, err := findUsed(view, args.Source, args.SourceID)
			if err != nil {
				return nil, err
			}
			beside, err := findUsed(view.Beside(), args.Target, args.TargetID)
			if err != nil {
				return nil, err
			}
			to := 0
			if err := doc.As(tool.ClientOf(ctx)).Move(ctx, readset.Target{Cell: cell.ID, Base: base}, func(e *ydoc.Editor) (int, error) {
				var there bool
				if to, there = e.Index(beside.ID); !there {
					return 0, fmt.Errorf("the target cell %s was just deleted; nothing was moved", textfmt.Quoted(beside.ID))
				}
				return to, nil
			}, args.Force); err != nil {
				return nil, err
			}
			cells := doc.Notebook().Cells()
			out := &textResult{Kind: "cell.move", CellID: cell.ID}
			out.Result = fmt.Sprintf("Cell moved successfully from index %d to %d (%s).\nNotebook has %d cells, showing surrounding cells:\n%s",
				cell.at, to, cell.Type, len(cells), overview(cells, max(0, to-3), 7))
			noteOverview(ctx, doc, cells, max(0, to-3), 7)
			return out.answer(doc), nil
		}),
	})
}

// lineDiff returns the difference of two sources in the format of Python's difflib, with three lines around each change; ""
// for equal sources. A line end at the very end of a source does not begin another line.
func lineDiff(old, now string) string {
	if old == now {
		return ""
	}
	if d := datauri.Short(textdiff.Unified("", ended(old), ended(now), 3)); d != "" {
		return strings.TrimSuffix(d, "\n")
	}
	return fmt.Sprintf("@@ line terminators changed @@\n-%q\n+%q", old, now)
}

// ended adds a line end to the last line if it has none.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
