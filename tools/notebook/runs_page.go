package notebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
)

// LeftOutOutput is the output number of the text that was left out of the notebook.
const LeftOutOutput = -1

type getRunArgs struct {
	namedRun
	OutputSize
	Output *int `json:"output,omitempty" jsonschema:"Pages through one whole output: its index among the run's outputs, from 0; -1 for the text that was left out of the notebook. A page has maxCellOutputSize characters. Left out: all outputs, long ones cut in the middle." validate:"min=-1,max=1000000"`
	Offset *int `json:"offset,omitempty" jsonschema:"With output: where the page begins, in characters; the previous page's next_offset." validate:"max=1000000000" default:"0"`
}

// A PagedRun is the answer of get_run: a run, or a page of one of its outputs.
type PagedRun struct {
	RunView
	Page *outputPage `json:"page,omitempty" jsonschema:"The requested page; outputs is empty then."`
}

// An outputPage is a part of one output of a run.
type outputPage struct {
	Output int    `json:"output"`
	Type   string `json:"output_type,omitempty"`
	Mime   string `json:"mime,omitempty" jsonschema:"MIME type of the text."`
	Text   string `json:"text" jsonschema:"Without ANSI colours."`
	Offset int    `json:"offset"`
	Next   *int   `json:"next_offset,omitempty" jsonschema:"Where the next page begins; absent on the last page so far."`
	Length int    `json:"length" jsonschema:"Characters of the whole output, so far."`
}

// pageOf reads at most n characters of a run's output.
func pageOf(r *run.Run, outputs render.Contents, output, offset, n int) (*outputPage, error) {
	p := &outputPage{Output: output, Offset: offset}
	var piece []rune // one more than n, if there is more
	if output == LeftOutOutput {
		raw, length, err := r.LeftOut(offset, n+1)
		if errors.Is(err, run.ErrNothingLeftOut) {
			return nil, fmt.Errorf("%w: its outputs are numbered 0 to %d", err, len(outputs.Each)-1)
		} else if err != nil {
			return nil, err
		}
		piece, p.Type, p.Length = []rune(raw), "stream", length
	} else {
		if output >= len(outputs.Each) {
			return nil, fmt.Errorf("run %s has %s, numbered from 0: no output %d", r.ID, textfmt.Plural(len(outputs.Each), "output"), output)
		}
		c := outputs.Each[output]
		var all string
		all, p.Mime = c.Main()
		runes := []rune(all)
		from := min(offset, len(runes))
		piece, p.Type, p.Length = runes[from:min(from+n+1, len(runes))], c.Kind, len(runes)
	}
	if offset > p.Length {
		return nil, fmt.Errorf("offset %d is past the end of output %d (%s)", offset, output, textfmt.Plural(p.Length, "character"))
	}
	if len(piece) > n {
		end := cmp.Or(textfmt.Before(piece, n), n)
		end -= unfinishedEscape(piece[:end])
		piece = piece[:end]
	}
	if next := offset + len(piece); next < p.Length {
		p.Next = &next
	}
	p.Text = textfmt.Plain(string(piece))
	return p, nil
}

// longestEscape is the maximum length of a terminal control sequence that is kept whole.
const longestEscape = 200

// unfinishedEscape returns the length of an incomplete control sequence at the end of the text; 0 if it is the whole text.
func unfinishedEscape(piece []rune) int {
	tail := string(piece[max(0, len(piece)-longestEscape):])
	i := strings.LastIndexByte(tail, '\x1b')
	if i < 0 {
		return 0
	}
	if at := textfmt.ANSI.FindStringIndex(tail[i:]); at != nil && at[0] == 0 {
		return 0
	}
	if n := textfmt.Size(tail[i:]); n < len(piece) {
		return n
	}
	return 0
}

// answerPage answers with a page of a run's output.
func answerPage(ctx context.Context, d *deps.Deps, r *run.Run, args getRunArgs) (*tool.Answer, error) {
	o := d.OutcomeOf(ctx, r)
	outputs := render.ContentsOf(o.Outputs)
	offset, n := tool.ValueOr(args.Offset, 0), args.Size()
	p, err := pageOf(r, outputs, *args.Output, offset, n)
	if err != nil {
		return nil, err
	}
	out := PagedRun{Page: p, RunView: viewOf(ctx, d, r, o)}
	out.Outputs, out.Truncated, out.OriginalSize = []map[string]any{}, p.Next != nil, p.Length
	a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words)}
	return a, a.Trim(func() bool {
		n = n * 3 / 4
		if p, err = pageOf(r, outputs, *args.Output, offset, n); err != nil || n < 1 {
			return false
		}
		out.Page, out.Truncated = p, p.Next != nil
		return true
	})
}
