package notebook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook/outlined"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// The answers of the tools of cells and runs in words. Each is made of the same result as the JSON.

// words returns the cells that were read.
func (r *ReadResult) words(roll *target.Roll) plaintext.Text {
	t := plaintext.Text{First: fmt.Sprintf("%s, %s, revision %s", r.Path, textfmt.Plural(r.CellCount, "cell"), r.Revision)}
	if r.one {
		t.First = "revision " + r.Revision
	}
	cut := false
	for _, v := range r.Cells {
		t.Add(v.blocks(roll)...)
		cut = cut || v.shortened || v.Truncated.Source || slices.Contains(v.Truncated.Outputs, true)
	}
	if cut && r.Max < MaxCellData {
		t.Note(textfmt.Hint("a higher maxCellData shows more of the cut text, and whole tracebacks"))
	}
	if t.Note(r.Message); r.Next != "" {
		t.Note("next_cursor " + r.Next)
	}
	return t
}

// outlineWords returns the outline of the cells.
func (r *ReadResult) outlineWords(roll *target.Roll) plaintext.Text {
	body := outlined.Lines(r.Outline, func(id string) string { return roll.Cell(id).ID })
	t := plaintext.Text{First: fmt.Sprintf("%s, %s, revision %s; %s", r.Path, textfmt.Plural(r.CellCount, "cell"), r.Revision, outlined.Legend), Tail: &body}
	t.Note(r.Message)
	return t
}

// blocks returns a cell with its outputs.
func (v CellView) blocks(roll *target.Roll) []plaintext.Block {
	c := plaintext.Cell{Index: v.Index, ID: roll.Cell(v.ID).ID, Type: v.CellType, Count: v.ExecutionCount, Says: markedBy(v.Metadata)}
	if v.ExecutionState == string(run.Running) {
		c.Says = append(c.Says, "running")
		if v.ExecutionCount != nil { // its turn has not come
			c.Says = append(c.Says, "outputs of an earlier run")
		}
	}
	if v.Unconfirmed {
		c.Says = append(c.Says, "unconfirmed")
	}
	if v.Truncated.Source {
		c.Says = append(c.Says, "cut")
	}
	if v.Fault != "" {
		c.Says = append(c.Says, "broken: "+v.Fault)
	}
	out := append([]plaintext.Block{plaintext.Source(c, v.Source)}, plaintext.Outputs(v.Outputs)...)
	return withNote(out, render.LeftOut(v.OutputsOmitted))
}

// markedBy describes the metadata of a cell that matters to its editors.
func markedBy(metadata map[string]any) (says []string) {
	if tags, _ := metadata["tags"].([]any); len(tags) > 0 {
		names := lo.FilterMap(tags, func(t any, _ int) (string, bool) { s, ok := t.(string); return s, ok })
		line, _ := textfmt.Cut("tags "+strings.Join(names, " "), 100)
		says = append(says, line)
	}
	for _, no := range []struct{ key, says string }{{ydoc.KeyEditable, "not editable"}, {ydoc.KeyDeletable, "not deletable"}} {
		if ydoc.Locks(metadata[no.key]) {
			says = append(says, no.says)
		}
	}
	for _, in := range []struct{ code, says string }{{editguard.CodeHandsOff, "hands off"}, {editguard.CodeAsk, "runs with permission"}} {
		if _, ok := editguard.InFile(in.code, "", metadata); ok {
			says = append(says, in.says)
		}
	}
	return says
}

// stateWords has the texts for the states of runs; states without one are not mentioned.
var stateWords = map[run.State]string{
	run.Failed: "failed", run.Interrupted: "interrupted", run.Lost: "lost with the kernel", run.Cancelled: "not run",
	run.WaitingForInput: "waiting for input", run.Running: "running", run.Queued: "waiting for its turn",
}

// blocks returns a run of a cell.
func (r ExecutionResult) blocks(c plaintext.Cell) []plaintext.Block {
	c.Count = r.ExecutionCount
	state := run.State(r.State)
	said := stateWords[state]
	outputs := plaintext.Outputs(r.Outputs)
	switch {
	case said == "" && len(outputs) == 0 && r.Message == "":
		c.Says = append(c.Says, lo.Ternary(r.seen > 0, "no new output", "no output"))
	case said != "":
		c.Says = append(c.Says, said)
	}
	if r.Truncated || !state.Ended() || r.Shortened {
		c.Says = append(c.Says, r.RunID)
	}
	out := append([]plaintext.Block{{Head: c.Head()}}, outputs...)
	return withNote(withNote(out, render.LeftOut(r.OutputsOmitted)), r.Message)
}

// withNote adds a note on a separate line, if it is not empty.
func withNote(blocks []plaintext.Block, note string) []plaintext.Block {
	if note == "" {
		return blocks
	}
	return append(blocks, plaintext.Block{Head: " " + note})
}

// addRuns adds the runs of a call. With several runs, successful ones without output, and those not run because an earlier
// one failed, appear only in the first line.
func addRuns(t *plaintext.Text, roll *target.Roll, results []ExecutionResult) {
	more, stopped := false, false
	for _, r := range results {
		if len(results) > 1 && (r.silent() || r.State == string(run.Cancelled) && stopped) {
			continue
		}
		stopped = stopped || r.State != string(run.Done)
		t.Add(r.blocks(roll.Cell(r.CellID))...)
		roll.Show(r.CellID)
		more = more || r.Truncated || r.Shortened
	}
	if more {
		t.Note(wholeOutputs)
	}
}

// wholeOutputs says how to see the parts that were left out of the outputs of a run.
var wholeOutputs = "not all is shown" + textfmt.Hint(": get_run with run_id and output 0, 1 … pages through it")

// ranWords summarises the runs of a call: whether all ran, or which did not, and which have no output; "" for a single run,
// which says so itself.
func ranWords(roll *target.Roll, results []ExecutionResult) string {
	if len(results) < 2 {
		return ""
	}
	by := lo.GroupBy(results, func(r ExecutionResult) run.State { return run.State(r.State) })
	names := func(of []ExecutionResult) string {
		return roll.Names(lo.Map(of, func(r ExecutionResult, _ int) string { return r.CellID })...)
	}
	out := []string{fmt.Sprintf("all %d ran", len(results))}
	if len(by[run.Done]) < len(results) {
		out[0] = fmt.Sprintf("%d of %d succeeded", len(by[run.Done]), len(results))
	}
	for _, s := range []run.State{run.Failed, run.Interrupted, run.Lost, run.WaitingForInput, run.Running, run.Queued, run.Cancelled} {
		if len(by[s]) > 0 {
			out = append(out, stateWords[s]+" "+names(by[s]))
		}
	}
	if silent := lo.Filter(by[run.Done], func(r ExecutionResult, _ int) bool { return r.silent() }); len(silent) == len(results) {
		out = append(out, "no output")
	} else if len(silent) > 0 {
		out = append(out, "no output: "+names(silent))
	}
	return strings.Join(out, "; ")
}

// silent reports whether a run that went well has nothing to show.
func (r ExecutionResult) silent() bool {
	return r.State == string(run.Done) && len(r.Outputs) == 0 && r.Message == ""
}

// words returns the output of the code.
func (r *CodeResult) words() plaintext.Text {
	ran := r.ExecutionResult
	says := []string{stateWords[run.State(ran.State)], "left no cell"}
	if len(r.Sets) > 0 {
		says = append(says, "sets "+strings.Join(r.Sets, ", "))
	}
	outputs := plaintext.Outputs(ran.Outputs)
	switch {
	case len(outputs) == 0 && run.State(ran.State) == run.Done:
		says = append(says, "no output")
	case ran.Truncated || ran.Shortened || !run.State(ran.State).Ended():
		says = append(says, ran.RunID)
	}
	t := plaintext.Text{First: strings.Join(lo.Compact(says), ", ")}
	t.Add(outputs...)
	if t.Note(ran.Message); ran.Truncated || ran.Shortened {
		t.Note(wholeOutputs)
	}
	return t
}

// words returns the runs of the requested cells.
func (r *ExecuteResult) words(roll *target.Roll) plaintext.Text {
	t := plaintext.Text{First: ranWords(roll, r.Results)}
	if len(r.Results) == 0 {
		t.First = r.Message
	}
	addRuns(&t, roll, r.Results)
	return t
}

// words returns the new cells, and their runs.
func (r *InsertResult) words(roll *target.Roll) plaintext.Text {
	return didAndRan("inserted", roll, r.Revision, r.CellIDs, r.Results)
}

// didAndRan returns the changed cells and their runs. A single cell is named only once, by its run.
func didAndRan(did string, roll *target.Roll, revision string, ids []string, results []ExecutionResult) (t plaintext.Text) {
	if t.First = roll.Changed(revision, ids...); len(ids) != 1 || len(results) != 1 || results[0].CellID != ids[0] {
		t.First = tool.Sentences(did+" "+roll.Names(ids...), t.First, ranWords(roll, results))
	}
	addRuns(&t, roll, results)
	return t
}

// words returns the changed cells, the merged sources of cells that others changed at the same time, and their runs.
func (r *ModifyResult) words(roll *target.Roll) plaintext.Text {
	if len(r.Merged) == 0 && len(r.changed.reshapes) == 0 {
		return didAndRan("changed", roll, r.Revision, r.CellIDs, r.Results)
	}
	var did []string
	if len(r.changed.ids) > 0 {
		did = append(did, "changed "+roll.Names(r.changed.ids...))
	}
	for _, s := range r.changed.reshapes {
		line := roll.Names(s.Parts...)
		switch {
		case s.Join:
			line = "merged into " + line
		case s.Lines != nil:
			line = "split into " + line
		case s.After != nil:
			line = "moved " + line
		}
		if s.Type != "" {
			line += ", " + s.Type + " now"
		}
		did = append(did, line)
	}
	t := plaintext.Text{First: tool.Sentences(append(did, roll.Changed(r.Revision, r.CellIDs...), ranWords(roll, r.Results))...)}
	for _, m := range r.Merged {
		c := roll.Cell(m.ID)
		c.Says = []string{"merged with text typed at the same time, revision " + m.Revision + "; diff against your text:"}
		t.Add(plaintext.Block{Head: c.Head(), Body: plaintext.Changed(m.Diff)})
	}
	addRuns(&t, roll, r.Results)
	return t
}

// words returns the moved cells.
func (r *MoveResult) words(roll *target.Roll) plaintext.Text {
	return plaintext.Text{First: "moved " + roll.Names(r.CellIDs...) + "; " + roll.Changed(r.Revision, r.CellIDs...)}
}

// words describes the change of the kernel, and returns the runs after it.
func (r *RestartResult) words(roll *target.Roll) plaintext.Text {
	t := plaintext.Text{First: tool.Sentences(r.did, ranWords(roll, r.Results))}
	addRuns(&t, roll, r.Results)
	return t
}
