package notebook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// idShown is the maximum shown length of a cell's id if its notebook is not open, in characters.
const idShown = 8

// cellOfRun names the cell of a run.
func cellOfRun(ctx context.Context, d *deps.Deps, r *run.Run) plaintext.Cell {
	for _, doc := range d.Manager.HoldUnder(func(open jupyter.Path) bool { return r.CellID != "" && open == r.Path }) {
		defer doc.Release()
		if doc.Notebook() != nil {
			return target.RollOf(ctx, doc).Cell(r.CellID)
		}
	}
	return plaintext.Cell{Index: -1, ID: r.CellID[:min(idShown, len(r.CellID))]}
}

// where returns the place of a run: a notebook, or code outside one.
func where(path string) string {
	if path == "" {
		return "code"
	}
	return path
}

// words returns the current state of a run.
func (r *RunView) words() plaintext.Text {
	t := plaintext.Text{First: tool.Sentences(r.RunID+" of "+where(r.Path), took(r.Started, r.Ended))}
	named := r.ExecutionResult
	named.RunID = "" // said already
	t.Add(named.blocks(r.cell)...)
	if r.Truncated || r.Shortened {
		t.Note(wholeOutputs)
	}
	return t
}

// took says how long a run took, or has taken so far.
func took(started, ended string) string {
	from, err := time.Parse(time.RFC3339, started)
	if err != nil {
		return ""
	}
	if to, err := time.Parse(time.RFC3339, ended); err == nil {
		if d := to.Sub(from).Round(100 * time.Millisecond); d > 0 {
			return "took " + d.String()
		}
		return ""
	}
	return "running for " + time.Since(from).Round(time.Second).String()
}

// words returns a page of an output, or the run.
func (r *PagedRun) words() plaintext.Text {
	p := r.Page
	if p == nil {
		return r.RunView.words()
	}
	end := p.Offset + textfmt.Size(p.Text)
	t := plaintext.Text{First: fmt.Sprintf("%s, output %d, characters %d to %d of %d", r.RunID, p.Output, p.Offset, end, p.Length), Tail: &p.Text}
	if p.Next != nil {
		t.Note(fmt.Sprintf("continue with offset %d", *p.Next))
	}
	if plaintext.Hides(p.Text) {
		t.Note("with hidden characters")
	}
	if state := run.State(r.State); !state.Ended() {
		t.Note("it is " + stateWords[state])
	}
	return t
}

// words returns a line for each run.
func (r *ListRunsResult) words() plaintext.Text {
	lines := make([]string, len(r.Runs))
	for i, one := range r.Runs {
		parts := []string{one.RunID, where(one.Path)}
		if one.CellID != "" {
			parts = append(parts, one.cell.Name())
		}
		state, time := run.State(one.State), took(one.Started, one.Ended)
		switch said := stateWords[state]; {
		case state == run.Running && time != "": // the time says so
		case said != "":
			parts = append(parts, said)
		default:
			parts = append(parts, one.State)
		}
		if time != "" {
			parts = append(parts, time)
		}
		lines[i] = plaintext.Line(strings.Join(parts, ", "))
	}
	first := textfmt.Plural(r.Total, "run")
	if len(lines) < r.Total {
		first += fmt.Sprintf(", the last %d", len(lines))
	}
	return plaintext.Text{First: first, Tail: new(strings.Join(lines, "\n"))}
}
