package tab_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
)

// gateway defines gate, with which a cell waits until the test has opened the gate of that name, a file beside the
// notebook %s. An output that is seen before its gate was opened was shown while the cell still ran.
const gateway = `import os, time
def gate(name):
    while not os.path.exists(f"%s-{name}"):
        time.sleep(0.02)`

// openGate releases code that waits at gate(name).
func openGate(t *testing.T, path, name string) {
	t.Helper()
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(path+"-"+name), nil, 0o600))
}

// pending is a tool call that continues beside the test.
type pending struct {
	done     chan error
	answer   *agent.Answer
	executed agent.Executed
}

// begin begins a call of a tool that runs cells.
func begin(t *testing.T, a *agent.Agent, tool string, args map[string]any) *pending {
	ctx := t.Context()
	p := &pending{done: make(chan error, 1)}
	go func() {
		var err error
		p.answer, err = a.Do(ctx, tool, args, &p.executed)
		p.done <- err
	}()
	return p
}

// results waits for the answer and returns the cells' results.
func (p *pending) results(t *testing.T) []agent.Result {
	t.Helper()
	must.NoError(t, <-p.done)
	return p.executed.ExecutionResults
}

// see waits until a cell shows a prompt and exactly one output with the given text, or no output if the text is empty,
// while the call continues (nil for none).
func (p *person) see(t *testing.T, call *pending, index int, prompt, text string) {
	t.Helper()
	must.NoError(t, p.WaitView(t.Context(), fmt.Sprintf("cell %d to show %s %q", index, prompt, text), func(cells []browser.ViewCell) error {
		outputs := 1
		if text == "" {
			outputs = 0
		}
		if len(cells) > index && cells[index].Prompt == prompt && len(cells[index].Outputs) == outputs && outputText(cells[index]) == text {
			return nil
		}
		var over error
		if call != nil {
			over = ended(call.done)
		}
		return errors.Join(fmt.Errorf("%+v", cells), over)
	}))
}

// Like a bar of tqdm, on the same stream.
const bar = `import sys
for n in range(11):
    sys.stderr.write(f"\r{10 * n:3d}%|{'█' * n:<10}| {n}/10")
    if n in (0, 3, 7):
        gate(f"bar-{n}")
print(file=sys.stderr)`

const shown = `from IPython.display import HTML, clear_output, display, update_display
display(HTML("<b>waiting</b>"), display_id="status");`

const updated = `for n in range(3):
    update_display(HTML(f"<b>step {n}</b> of 3"), display_id="status")
    gate(f"step-{n}")`

const frames = `for n in range(3):
    clear_output(wait=True)
    print("frame", n)
    gate(f"frame-{n}")
clear_output(wait=True)  # nothing follows: what is shown stays`

const drawn = `import matplotlib.pyplot as plt
plt.figure(figsize=(5, 2))
plt.bar(["Mon", "Tue", "Wed"], [3, 1, 2])
plt.show()
gate("drawn")
print("after the plot")`

const asking = `name = input("Who is there? ")
print("Hello,", name)`

// A running cell's output changes in place: a progress bar, a display that a later cell updates, frames that replace one
// another, a plot; and a question of the code to the MCP client's user is answered in the cell.
func TestOutputsMove(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code(fmt.Sprintf(gateway, t.Name()+".ipynb")))
	questions, answers := make(chan string, 1), make(chan string, 1)
	nbduet := kit.StartAgentAs(t, agent.Options{Elicit: func(ctx context.Context, message string) (string, error) {
		questions <- message
		select {
		case line := <-answers:
			return line, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}})
	_, err := nbduet.Do(t.Context(), "execute_nb_cells", execute(path, 0), nil)
	must.NoError(t, err)
	tab := open(t, path)
	add := func(t *testing.T, at int, source string) *pending {
		return begin(t, nbduet, "insert_nb_cells", kit.Insert(path, at, true, source))
	}
	// The parts build on one another: each runs the next cell of the notebook.
	for _, part := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"progress bar", func(t *testing.T) {
			call := add(t, 1, bar)
			for _, at := range []struct {
				n    int
				line string
			}{{0, "0%|          | 0/10"}, {3, "30%|███       | 3/10"}, {7, "70%|███████   | 7/10"}} {
				tab.see(t, call, 1, "[*]:", at.line)
				tab.Shoot(fmt.Sprintf("bar-%d", at.n))
				openGate(t, path, fmt.Sprintf("bar-%d", at.n))
			}
			const last = "100%|██████████| 10/10"
			results := call.results(t)
			tab.see(t, nil, 1, "[2]:", last)
			got := results[0].Outputs
			must.SliceLen(t, 1, got)
			test.Eq(t, last+"\n", got[0].Text)
			model, err := tab.Model(t.Context())
			must.NoError(t, err)
			if got := model[1].Outputs; len(got) != 1 || fmt.Sprint(got[0]["text"]) != last+"\n" {
				t.Errorf("the model holds %q", got)
			}
		}},
		{"updated display", func(t *testing.T) {
			add(t, 2, shown).results(t)
			tab.see(t, nil, 2, "[3]:", "waiting")
			call := add(t, 3, updated)
			for n := range 3 {
				tab.see(t, call, 2, "[3]:", fmt.Sprintf("step %d of 3", n))
				tab.see(t, call, 3, "[*]:", "")
				tab.Shoot(fmt.Sprintf("step-%d", n))
				openGate(t, path, fmt.Sprintf("step-%d", n))
			}
			call.results(t)
			tab.see(t, nil, 3, "[4]:", "")
			tab.see(t, nil, 2, "[3]:", "step 2 of 3")
		}},
		{"frames", func(t *testing.T) {
			call := add(t, 4, frames)
			for n := range 3 {
				tab.see(t, call, 4, "[*]:", fmt.Sprintf("frame %d", n))
				tab.Shoot(fmt.Sprintf("frame-%d", n))
				openGate(t, path, fmt.Sprintf("frame-%d", n))
			}
			call.results(t)
			tab.see(t, nil, 4, "[5]:", "frame 2")
		}},
		{"plot", func(t *testing.T) { seePlot(t, tab, add(t, 5, drawn), path, 5) }},
		{"input", func(t *testing.T) {
			call := add(t, 6, asking)
			question := <-questions
			test.StrContains(t, question, "Who is there?")
			test.StrContains(t, question, path)
			tab.see(t, call, 6, "[*]:", "")
			must.NoError(t, tab.Scroll(t.Context(), 6))
			tab.Shoot("asking")
			answers <- "Ada 😀"
			call.results(t)
			must.NoError(t, tab.WaitView(t.Context(), "the answer in the cell", func(cells []browser.ViewCell) error {
				got := cells[6]
				if got.Prompt == "[7]:" && len(got.Outputs) == 2 &&
					strings.TrimSpace(got.Outputs[0].Text) == "Who is there? Ada 😀" && strings.TrimSpace(got.Outputs[1].Text) == "Hello, Ada 😀" {
					return nil
				}
				return fmt.Errorf("%+v", got)
			}))
			must.NoError(t, tab.Scroll(t.Context(), 6))
			tab.Shoot("answered")
		}},
	} {
		if !t.Run(part.name, part.test) {
			return // its cell may still run
		}
	}
}

// seePlot checks that the plot is seen in the cell at index while the cell still runs, and the same picture is in the
// answer.
func seePlot(t *testing.T, tab *person, call *pending, path string, index int) {
	width := 0
	must.NoError(t, tab.WaitView(t.Context(), "the plot", func(cells []browser.ViewCell) error {
		if len(cells) > index && cells[index].Prompt == "[*]:" && len(cells[index].Outputs) == 1 && cells[index].Outputs[0].Width > 100 {
			width = cells[index].Outputs[0].Width
			return nil
		}
		return errors.Join(fmt.Errorf("%+v", cells), ended(call.done))
	}))
	must.NoError(t, tab.Scroll(t.Context(), index))
	tab.Shoot("plot")
	openGate(t, path, "drawn")
	call.results(t)

	model, err := tab.Model(t.Context())
	must.NoError(t, err)
	data, _ := model[index].Outputs[0]["data"].(map[string]any)
	text, _ := data["image/png"].(string)
	inTab, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	must.NoError(t, err)
	must.SliceLen(t, 1, call.answer.Images)
	must.Eq(t, "image/png", call.answer.Images[0].MIMEType)
	answered := call.answer.Images[0].Data
	if !bytes.Equal(answered, inTab) {
		t.Errorf("the answer's image has %d bytes, the tab's %d: they differ", len(answered), len(inTab))
	}
	picture, err := png.DecodeConfig(bytes.NewReader(answered))
	must.NoError(t, err)
	if picture.Width != width {
		t.Errorf("the answer's image is %d pixels wide, the one in the page %d", picture.Width, width)
	}
}
