package datalayer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
	"github.com/nbduet/nbduet/ydoc"
)

// An outputsResult is an answer that is a list: texts, and objects for images, which are shown at their places.
type outputsResult struct {
	Kind    string         `json:"kind" jsonschema:"Kind of answer, such as \"cell.read\"."`
	Result  []any          `json:"result" jsonschema:"In order: texts, and objects for images, which are shown beside this."`
	Outputs []any          `json:"outputs" jsonschema:"The same."`
	Count   int            `json:"count" jsonschema:"How many."`
	Images  int            `json:"images" jsonschema:"How many of them are images."`
	CellID  string         `json:"cell_id,omitempty" jsonschema:"Id of the cell."`
	RunID   string         `json:"run_id,omitempty" jsonschema:"Id of the run."`
	State   string         `json:"state,omitempty"`
	Input   *waiting.Input `json:"input,omitempty" jsonschema:"The prompt of input() or getpass(), if state is waiting_for_input."`
}

// Refine implements tool.Refiner.
func (outputsResult) Refine(f tool.Fields) {
	placedItems(f.Field("result"))
	placedItems(f.Field("outputs"))
	f.Field("state").OneOf(notebook.RunStates()...)
}

// A cellResult is an outputsResult of a cell that was read.
type cellResult struct {
	outputsResult
	Revision string `json:"revision" jsonschema:"Revision of the notebook, for a later change."`
}

// placedItems says that a list contains texts, and a [placedImage] for each image.
func placedItems(list tool.Field) { list.Items().Types("string", "object") }

// Outputs describes the answer of a tool that shows outputs as their server does.
func Outputs() tool.Schema { return tool.DocumentResultOf[outputsResult](nil) }

// A placedImage represents an image in the list of outputs.
type placedImage struct {
	Type string `json:"type"` // "image"
	Data string `json:"data"` // its description and its address
	MIME string `json:"mimeType"`
}

// shownRun is the shown part of a cell, or of code that was run.
type shownRun struct {
	waiting.Outcome // for a cell that was read, only its outputs
	kind            string
	revision        string   // of the notebook; "" without a read
	head            []string // texts before the outputs
	tail            []string // texts after them
	none            string   // the only text of an answer that would be empty
	size            int      // the maximum length of outputs, in characters
}

// answer makes the answer, and cuts it further if it would be too long. whole says that the texts of the head were not cut.
func (s shownRun) answer(doc *session.Document) (a *tool.Answer, whole bool, err error) {
	outputs := render.ContentsOf(readable(s.Outputs))
	lim, most := render.LimitsOf(s.size), tool.MaxSource
	read := &cellResult{outputsResult{Kind: s.kind, CellID: s.CellID, RunID: s.ID, State: string(s.State), Input: s.Input}, s.revision}
	out := &read.outputsResult
	a = &tool.Answer{Body: out, Doc: deps.About(doc), Meta: idMeta(s.CellID, nil)}
	if s.revision != "" {
		a.Body = read
	}
	a.Parts = func() (parts []any) {
		images := 0
		for _, item := range out.Result {
			switch item := item.(type) {
			case string:
				parts = append(parts, tool.Verbatim(item))
			case placedImage:
				parts = append(parts, tool.Place(images))
				images++
			}
		}
		return slices.Concat(parts, atRevision(s.revision), warning(a))
	}
	write := func() {
		pictures := s.NewSet(render.PicturesIn(s.Outputs))
		pictures.From = s.From
		out.Result, whole = nil, true
		for _, t := range s.head {
			short, wasCut := textfmt.Cut(t, most)
			out.Result, whole = append(out.Result, short), whole && !wasCut
		}
		shown := outputs.Show(lim, pictures)
		for i, o := range shown.Outputs {
			out.Result = append(out.Result, placedOutput(o, shown.Images[i], pictures)...)
		}
		if left := shown.LeftOut(); left != "" {
			out.Result = append(out.Result, "["+left+"]")
		}
		for _, t := range s.tail {
			out.Result = append(out.Result, t)
		}
		if len(out.Result) == 0 && s.none != "" {
			out.Result = append(out.Result, s.none)
		}
		if out.Result == nil {
			out.Result = []any{}
		}
		out.Outputs, out.Count, out.Images = out.Result, len(out.Result), 0
		for _, item := range out.Result {
			if _, ok := item.(placedImage); ok {
				out.Images++
			}
		}
		a.Images = pictures.Images
	}
	write()
	err = a.Trim(func() bool {
		if lim.None() && most == 0 {
			return false
		}
		lim, most = lim.Halved(), most/2
		write()
		return true
	})
	return a, whole, err
}

// placedOutput returns an output in the form of their answers: texts, or an image. An empty output gives nothing.
func placedOutput(o map[string]any, at int, pictures *render.ImageSet) (out []any) {
	data, _ := o["data"].(map[string]any)
	for _, mime := range render.PictureTypes {
		switch reference, ok := data[mime].(string); {
		case ok && at >= 0:
			return []any{placedImage{"image", reference, pictures.Images[at].MIME}}
		case ok:
			return []any{reference}
		}
	}
	if lines, ok := o["traceback"].([]string); ok {
		return []any{cmp.Or(strings.Join(lines, "\n"), fmt.Sprintf("%v: %v", o["name"], o["value"]))}
	}
	return append(out, lo.ToAnySlice(lo.Compact(analysis.ShownText(o)))...)
}

// richest are the MIME types of a display that are text, the most informative first.
var richest = []string{"text/markdown", "text/latex", "application/json", "text/plain"}

// readable reduces each display to its images, or without images to the best text.
func readable(outputs []ydoc.Output) []ydoc.Output {
	return render.Reduced(outputs, func(o ydoc.Output, data, kept map[string]any) {
		if len(kept) == 0 {
			kept["text/plain"] = readableText(o.Type(), data)
		}
	})
}

func readableText(kind string, data map[string]any) string {
	for _, mime := range richest {
		v, ok := data[mime]
		switch {
		case !ok:
		case render.IsText(v):
			return render.JoinText(v)
		default:
			if b, err := json.MarshalIndent(v, "", "  "); err == nil {
				return string(b)
			}
		}
	}
	if _, ok := data["text/html"]; ok {
		return "[HTML Output]"
	}
	return fmt.Sprintf("[%s Data: keys=['%s']]", kind, strings.Join(slices.Sorted(maps.Keys(data)), "', '"))
}
