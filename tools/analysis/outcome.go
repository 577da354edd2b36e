package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/waiting"
	"github.com/nbduet/nbduet/ydoc"
)

// The error types that are not exceptions of the code.
const (
	ErrTimeout   = "Timeout"
	ErrLost      = "KernelLost"
	errCancelled = "Cancelled"
	errInterrupt = "Interrupted"
	errInput     = "WaitingForInput"
)

// A CodeResult is the outcome of code that was run.
type CodeResult struct {
	Success      bool            `json:"success" jsonschema:"Whether the code finished without an exception."`
	Stdout       string          `json:"stdout"`
	Stderr       string          `json:"stderr"`
	Result       *string         `json:"result" jsonschema:"Value of the last expression, as text; null without one."`
	Displays     []string        `json:"displays,omitempty" jsonschema:"Other displayed outputs, as text."`
	Images       []imageRef      `json:"images" jsonschema:"In order; some are shown beside the JSON, the others have addresses."`
	Milliseconds int64           `json:"execution_time_ms"`
	ErrorType    string          `json:"error_type,omitempty" jsonschema:"Type of the exception, or Timeout, KernelLost, Cancelled, Interrupted or WaitingForInput. Set if success is false."`
	ErrorMessage string          `json:"error_message,omitempty"`
	Traceback    string          `json:"traceback,omitempty"`
	RunID        string          `json:"run_id" jsonschema:"Id of the run."`
	State        string          `json:"state"`
	Input        *waiting.Input  `json:"input,omitempty" jsonschema:"The prompt of input() or getpass(), if state is waiting_for_input."`
	Behind       *waiting.Behind `json:"queued_behind,omitempty" jsonschema:"The run that this one waits for, if state is queued."`
	CellID       string          `json:"cell_id,omitempty" jsonschema:"The cell that was run."`
	Count        *int            `json:"execution_count"`
	Truncated    bool            `json:"truncated,omitempty" jsonschema:"Output was cut; the run has it all."`
	Message      string          `json:"message,omitempty" jsonschema:"Notes, such as that the kernel is new."`
}

// Refine implements tool.Refiner.
func (CodeResult) Refine(f tool.Fields) { f.Field("state").OneOf(notebook.RunStates()...) }

type imageRef struct {
	URI         string `json:"resource_uri"`
	MIME        string `json:"mime_type"`
	Description string `json:"description"`
}

// codeOutcome is the state of a run when its call stopped waiting.
type codeOutcome struct {
	waiting.Outcome
	waited time.Duration
}

// answer returns the outcome with at most size characters of output, and fewer if the answer would be too long.
func (c codeOutcome) answer(doc *session.Document, size int) (*tool.Answer, error) {
	outputs := render.ContentsOf(simplest(c.Outputs))
	out := &CodeResult{}
	a := &tool.Answer{Body: out, Doc: deps.About(doc)}
	return a, render.LimitsOf(size).Fit(a, func(lim render.OutputLimits) {
		pictures := c.NewSet(render.PicturesIn(c.Outputs))
		pictures.From = c.From
		*out = c.render(outputs.Show(lim, pictures), pictures)
		a.Images = pictures.Images
	})
}

// simplest reduces each display to its images and the text form that a model reads best.
func simplest(outputs []ydoc.Output) []ydoc.Output {
	return render.Reduced(outputs, func(o ydoc.Output, data, kept map[string]any) {
		if o.Type() == "display_data" && len(kept) > 0 {
			return // "<Figure size 640x480 with 1 Axes>"
		}
		best := ""
		for mime := range data {
			if !slices.Contains(render.PictureTypes, mime) && (best == "" || render.Better(mime, best) < 0) {
				best = mime
			}
		}
		if best != "" {
			kept[best] = data[best]
		}
	})
}

func (c codeOutcome) render(shown render.ShownOutputs, pictures *render.ImageSet) CodeResult {
	out := CodeResult{
		Success: c.State == run.Done, State: string(c.State), RunID: c.ID, Input: c.Input, CellID: c.CellID, Count: c.Count,
		Milliseconds: duration(c.Result).Milliseconds(), Images: []imageRef{}, Truncated: shown.Truncated() || c.Omitted+c.Figures > 0,
	}
	var stdout, stderr strings.Builder
	for _, o := range shown.Outputs {
		switch o["output_type"] {
		case "stream":
			t, _ := o["text"].(string)
			if o["name"] == "stderr" {
				stderr.WriteString(t)
			} else {
				stdout.WriteString(t) // including a person's answers to input()
			}
		case "error":
			out.ErrorType, _ = o["name"].(string)
			out.ErrorMessage, _ = o["value"].(string)
			lines, _ := o["traceback"].([]string)
			out.Traceback = strings.Join(lines, "\n")
		case "execute_result":
			if t := ShownText(o); len(t) > 0 {
				out.Result = &t[0]
				out.Displays = append(out.Displays, t[1:]...)
			}
		default:
			out.Displays = append(out.Displays, ShownText(o)...)
		}
	}
	out.Stdout, out.Stderr = stdout.String(), stderr.String()
	named := map[string]bool{}
	for _, e := range pictures.Named {
		if uri := e.URI(); !named[uri] {
			named[uri] = true
			out.Images = append(out.Images, imageRef{uri, e.MIME, render.ImageDescription(e)})
		}
	}
	c.explain(&out)
	out.Message = tool.Sentences(out.Message, shown.LeftOut())
	return out
}

// ShownText returns the texts of an output: the text itself first, then notes on images that cannot be shown.
func ShownText(o map[string]any) (out []string) {
	data, ok := o["data"].(map[string]any)
	if !ok {
		t, _ := o["text"].(string)
		return []string{t}
	}
	for mime, v := range data {
		if slices.Contains(render.PictureTypes, mime) {
			if t, _ := v.(string); mime == render.Plotly || strings.HasPrefix(t, render.NotShown) {
				out = append(out, t)
			}
			continue
		}
		switch v := v.(type) {
		case string:
			out = slices.Insert(out, 0, v)
		case json.RawMessage:
			out = slices.Insert(out, 0, string(v))
		}
	}
	return out
}

// explain says why the code did not succeed, and adds notes for the caller.
func (c codeOutcome) explain(out *CodeResult) {
	fail := func(kind, message string) {
		if out.ErrorType == "" {
			out.ErrorType, out.ErrorMessage = kind, message
		} else if message != "" {
			out.Message = message
		}
	}
	why := ""
	if c.Err != nil {
		why = c.Err.Error()
	}
	switch queued := c.QueuedBehind("this code"); {
	case c.State == run.WaitingForInput:
		fail(errInput, c.HowToAnswer)
	case queued != "":
		out.Behind = c.Behind
		fail(ErrTimeout, "not started: "+queued+textfmt.Hint(", interrupt_execution stops all"))
	case !c.State.Ended():
		doing := "the code keeps running"
		if c.State == run.Queued {
			doing = "the code waits for earlier code"
		} else if c.Asking != nil {
			doing = waiting.Asks(c.Result)
		}
		fail(ErrTimeout, fmt.Sprintf("not finished after %s: %s"+textfmt.Hint("; wait_run with run_id %q waits for it")+textfmt.Hint(", interrupt_execution stops it"), c.waited, doing, c.ID))
	case c.State == run.Lost:
		fail(ErrLost, why)
	case c.State == run.Cancelled:
		fail(errCancelled, why)
	case c.State == run.Interrupted:
		fail(errInterrupt, why)
	case c.State == run.Failed:
		fail("Error", why)
	}
	out.Message, _ = textfmt.Cut(tool.Sentences(append([]string{out.Message}, c.Notes()...)...), 1000)
	out.ErrorMessage, _ = textfmt.Cut(out.ErrorMessage, 2000)
}
