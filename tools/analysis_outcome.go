package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

// What stands as the type of an error that is no exception of the code's.
const (
	errTimeout   = "Timeout"
	errLost      = "KernelLost"
	errCancelled = "Cancelled"
	errInterrupt = "Interrupted"
)

// A codeResult is what came of code.
type codeResult struct {
	Success      bool       `json:"success"`
	Stdout       string     `json:"stdout"`
	Stderr       string     `json:"stderr"`
	Result       *string    `json:"result"`
	Displays     []string   `json:"displays,omitempty"`
	Images       []imageRef `json:"images"`
	Milliseconds int64      `json:"execution_time_ms"`
	ErrorType    string     `json:"error_type,omitempty"`
	ErrorMessage string     `json:"error_message,omitempty"`
	Traceback    string     `json:"traceback,omitempty"`
	RunID        string     `json:"run_id"`
	State        string     `json:"state"`
	CellID       string     `json:"cell_id,omitempty"`
	Count        *int       `json:"execution_count"`
	Truncated    bool       `json:"truncated,omitempty"`
	Message      string     `json:"message,omitempty"`
}

type imageRef struct {
	URI         string `json:"resource_uri"`
	MIME        string `json:"mime_type"`
	Description string `json:"description"`
}

func codeSchema() schema {
	return object("", append([]property{
		required("success", boolean("Whether the code ran to its end without an exception.")),
		required("stdout", text("")),
		required("stderr", text("")),
		required("result", text("The value of the last expression, as text; null where there is none.").orNull()),
		optional("displays", list("What else was displayed, as text.", text(""))),
		required("images", list("In order; some are shown beside the JSON, get_image_resource shows the others.", object("",
			required("resource_uri", text("")),
			required("mime_type", text("")),
			required("description", text("")),
		))),
		required("execution_time_ms", integer("")),
		optional("error_type", text("Of the exception; "+errTimeout+", "+errLost+", "+errCancelled+" or "+errInterrupt+" where it was none. With success false.")),
		optional("error_message", text("")),
		optional("traceback", text("")),
		required("run_id", text("Names this execution, for get_run, wait_run and cancel_run.")),
		required("state", stateSchema()),
		optional("cell_id", text("The notebook's cell that was run.")),
		required("execution_count", integer("").orNull()),
		optional("truncated", boolean("Output was cut: get_run pages through it.")),
		optional("message", text("What else is to be known, such as that the kernel is a new one.")),
	}, savedProperties()...)...)
}

// codeOutcome is a run as far as it had come when its call stopped waiting.
type codeOutcome struct {
	run *session.Run
	session.Result
	waited time.Duration
	tray   func(expected int) *tray // makes one for each rendering
	from   images.Origin            // of its images
}

// answer writes the outcome, of at most so many characters of output, and fewer where the answer would be too long.
func (c codeOutcome) answer(doc *session.Document, size int) (*answer, error) {
	outputs := contentsOf(lean(c.Outputs))
	lim := outputLimits{each: size, total: size, count: maxOutputs}
	out := &codeResult{}
	a := &answer{body: out, doc: about(doc)}
	render := func() {
		pictures := c.tray(picturesIn(c.Outputs))
		pictures.from = c.from
		*out = c.render(outputs.show(lim, pictures), pictures)
		a.images = pictures.images
	}
	render()
	return a, a.trim(func() bool {
		if lim.none() {
			return false
		}
		lim = lim.halved()
		render()
		return true
	})
}

// lean leaves of each display its images and the one form that a model reads best.
func lean(outputs []ydoc.Output) []ydoc.Output {
	out := make([]ydoc.Output, len(outputs))
	for i, o := range outputs {
		out[i] = o
		data, ok := o["data"].(map[string]any)
		if !ok {
			continue
		}
		kept := map[string]any{}
		best := ""
		for mime, v := range data {
			if slices.Contains(pictureTypes, mime) {
				kept[mime] = v
			} else if best == "" || cmp.Or(cmp.Compare(rank(mime), rank(best)), cmp.Compare(mime, best)) < 0 {
				best = mime
			}
		}
		if o.Type() == "display_data" && len(kept) > 0 {
			best = "" // "<Figure size 640x480 with 1 Axes>"
		}
		if best != "" {
			kept[best] = data[best]
		}
		out[i] = ydoc.Output{"output_type": o["output_type"], "data": kept}
	}
	return out
}

func (c codeOutcome) render(shown shownOutputs, pictures *tray) codeResult {
	out := codeResult{
		Success: c.State == session.Done, State: string(c.State), RunID: c.run.ID, CellID: c.run.CellID, Count: c.Count,
		Milliseconds: duration(c.Result).Milliseconds(), Images: []imageRef{}, Truncated: shown.truncated() || c.Omitted > 0,
	}
	var stdout, stderr strings.Builder
	for _, o := range shown.outputs {
		switch o["output_type"] {
		case "stream":
			t, _ := o["text"].(string)
			if o["name"] == "stderr" {
				stderr.WriteString(t)
			} else {
				stdout.WriteString(t) // what a person has answered to input() included
			}
		case "error":
			out.ErrorType, _ = o["name"].(string)
			out.ErrorMessage, _ = o["value"].(string)
			lines, _ := o["traceback"].([]string)
			out.Traceback = strings.Join(lines, "\n")
		case "execute_result":
			if t := shownText(o); len(t) > 0 {
				out.Result = &t[0]
				out.Displays = append(out.Displays, t[1:]...)
			}
		default:
			out.Displays = append(out.Displays, shownText(o)...)
		}
	}
	out.Stdout, out.Stderr = stdout.String(), stderr.String()
	named := map[string]bool{}
	for _, e := range pictures.named {
		if uri := e.URI(); !named[uri] {
			named[uri] = true
			out.Images = append(out.Images, imageRef{uri, e.MIME, imageDescription(e)})
		}
	}
	c.explain(&out)
	if shown.omitted > 0 {
		out.Message = strings.TrimPrefix(out.Message+"; "+plural(shown.omitted, "output")+" left out of the middle", "; ")
	}
	return out
}

// shownText is what stands in an output as text: the text itself first, and what is said of images that cannot be had.
func shownText(o map[string]any) (out []string) {
	data, ok := o["data"].(map[string]any)
	if !ok {
		t, _ := o["text"].(string)
		return []string{t}
	}
	for mime, v := range data {
		if slices.Contains(pictureTypes, mime) {
			if t, _ := v.(string); mime == plotly || strings.HasPrefix(t, notShown) {
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

// explain says why the code has not run well, and what else is to be known.
func (c codeOutcome) explain(out *codeResult) {
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
	switch {
	case !c.State.Ended():
		doing := "the code goes on running"
		if c.State == session.Queued {
			doing = "the code waits for what runs before it"
		} else if c.Asking != nil {
			doing = asks(c.Result)
		}
		fail(errTimeout, fmt.Sprintf("not finished after %s: %s; wait_run with run_id %q waits for it, interrupt_execution stops it", c.waited, doing, c.run.ID))
	case c.State == session.Lost:
		fail(errLost, why)
	case c.State == session.Cancelled:
		fail(errCancelled, why)
	case c.State == session.Interrupted:
		fail(errInterrupt, why)
	case c.State == session.Failed:
		fail("Error", why)
	}
	var says []string
	for _, s := range []string{out.Message, c.Note} {
		if s != "" {
			says = append(says, s)
		}
	}
	if c.Dropped {
		says = append(says, "output is missing, because more came at once than the Jupyter server passes on")
	}
	if c.Omitted > 0 {
		says = append(says, fmt.Sprintf("%s bytes of output were left out; get_run with output -1 pages through their text", thousands(c.Omitted)))
	}
	out.Message, _ = cut(strings.Join(says, "; "), 1000)
	out.ErrorMessage, _ = cut(out.ErrorMessage, 2000)
}
