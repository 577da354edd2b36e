package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	defaultOutputSize = 2000
	maxOutputSize     = 100_000
	defaultTimeout    = 300  // seconds
	maxTimeout        = 3600 // seconds
	maxRunCells       = 500
)

// runCost is the sentence on cost of each tool that runs cells.
const runCost = "Costs the time the cells take, at most timeout seconds, and up to maxCellOutputSize characters of output a cell; a cell that takes longer goes on running. After a failing cell the rest are not run."

// runOptions are the arguments of every tool that can run cells.
type runOptions struct {
	Exec    *bool    `json:"exec"`
	MaxSize *int     `json:"maxCellOutputSize"`
	Timeout *float64 `json:"timeout"`

	InterruptOnCancel *bool `json:"interrupt_on_cancel"`
}

func (o runOptions) interruptOnCancel() bool {
	return o.InterruptOnCancel == nil || *o.InterruptOnCancel
}

func (o runOptions) exec() bool { return o.Exec == nil || *o.Exec }

func (o runOptions) size() int {
	if o.MaxSize == nil {
		return defaultOutputSize
	}
	return *o.MaxSize
}

func (o runOptions) timeout() time.Duration {
	if o.Timeout == nil {
		return defaultTimeout * time.Second
	}
	return time.Duration(*o.Timeout * float64(time.Second))
}

// runProperties describe the run options of an editing tool.
func runProperties(exec string) []property {
	return append([]property{optional("exec", boolean(exec).def(true))}, executeProperties()...)
}

// executeProperties describe the options of every tool that runs cells.
func executeProperties() []property {
	return append(waitProperties(),
		optional("interrupt_on_cancel", boolean("Whether cancelling this call stops the cells. If false they go on.").def(true)))
}

func waitProperties() []property {
	return []property{
		optional("maxCellOutputSize", integer("Most characters of each cell's outputs together.").between(1, maxOutputSize).def(defaultOutputSize)),
		optional("timeout", described("number", "Seconds to wait for the cells; those not finished go on, and are answered with what they have put out so far.").
			with("exclusiveMinimum", 0).with("maximum", maxTimeout).def(defaultTimeout)),
	}
}

// resultsProperty describes the execution results of an editing tool.
func resultsProperty() property {
	return optional("execution_results", resultsSchema())
}

func resultsSchema() schema {
	return list("One for each executed cell, in order.", object("", resultProperties()...))
}

func stateSchema() schema {
	return oneOf("", string(session.Queued), string(session.Running), string(session.Done), string(session.Failed),
		string(session.Interrupted), string(session.Cancelled), string(session.Lost))
}

// resultProperties describe an executionResult.
func resultProperties() []property {
	return []property{
		required("outputs", list("nbformat outputs; an image's data is named here and shown beside the JSON.", outputSchema())),
		required("truncated", boolean("Whether outputs were cut.")),
		required("original_size", integer("Characters of the outputs before cutting, images not counted.")),
		required("cell_id", text("")),
		required("run_id", text("Names this execution.")),
		required("state", stateSchema()),
		required("execution_count", integer("").orNull()),
		optional("outputs_omitted", integer("Outputs left out of the middle.")),
		optional("truncated_by_server", boolean("The Jupyter server itself left out output.")),
		optional("message", text("Why the cell did not finish, and what else is to be known, such as that the kernel is a new one.")),
	}
}

// An executionResult is what became of one cell.
type executionResult struct {
	Outputs        []map[string]any `json:"outputs"`
	Truncated      bool             `json:"truncated"`
	OriginalSize   int              `json:"original_size"`
	CellID         string           `json:"cell_id"`
	RunID          string           `json:"run_id"`
	State          string           `json:"state"`
	ExecutionCount *int             `json:"execution_count"`
	OutputsOmitted int              `json:"outputs_omitted,omitempty"`
	Dropped        bool             `json:"truncated_by_server,omitempty"`
	Message        string           `json:"message,omitempty"`
}

// finished are the runs of one call, as far as they had come when it stopped waiting.
type finished struct {
	runs    []finishedRun
	size    int
	timeout time.Duration
	tray    func(expected int) *tray // makes one for each rendering
}

type finishedRun struct {
	id, cell string
	session.Result
	contents contents
	from     images.Origin // of its images
}

// run executes the cells and waits for them, at most as long as the options say. Runs that have not ended then go on.
func (d *deps) run(ctx context.Context, doc *session.Document, cells []string, opt runOptions) (finished, error) {
	if len(cells) > maxRunCells {
		return finished{}, fmt.Errorf("%s are to be run, more than the %s allowed in one call: spread them over several calls",
			plural(len(cells), "cell"), thousands(maxRunCells))
	}
	runs, err := doc.RunWith(ctx, cells, session.RunOptions{Ask: asker(ctx), Owner: clientOf(ctx)})
	if err != nil {
		return finished{}, err
	}
	wait, cancel := context.WithTimeout(ctx, opt.timeout())
	defer cancel()
	await(ctx, wait, runs)
	if err := ctx.Err(); err != nil {
		return finished{}, fmt.Errorf("the call was cancelled; %s: %w", abandon(ctx, runs, opt), err)
	}
	out := finished{size: opt.size(), timeout: opt.timeout(), tray: d.gallery.trays(ctx)}
	for _, r := range runs {
		result := r.Result()
		from := d.ofRun(ctx, r, result.Count)
		if cell, ok := doc.Notebook().Cell(r.CellID); ok {
			from = d.gallery.ofCell(ctx, doc, cell)
			from.Count = result.Count
		}
		out.runs = append(out.runs, finishedRun{r.ID, r.CellID, result, contentsOf(result.Outputs), from})
	}
	return out, nil
}

// abandonTime bounds the interrupting of what a cancelled call has left.
const abandonTime = 10 * time.Second

// abandon does what a cancelled call asked to be done with its runs, and says what that was.
func abandon(ctx context.Context, runs []*session.Run, opt runOptions) string {
	if !opt.interruptOnCancel() {
		return "the cells go on running"
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), abandonTime)
	defer stop()
	for _, r := range slices.Backward(runs) { // those that wait first, so that none of them begins
		if err := r.Cancel(ctx); err != nil {
			return "the cells could not be stopped: " + err.Error()
		}
	}
	return "its cells were interrupted"
}

// afterwards ends the sentence that says what a call did: with success where all cells ran well, else with the truth.
func (f finished) afterwards(success string) string {
	count := map[session.RunState]int{}
	for _, r := range f.runs {
		count[r.State]++
	}
	if count[session.Done] == len(f.runs) {
		return success
	}
	var parts []string
	for _, s := range []struct {
		state session.RunState
		words string
	}{
		{session.Done, "ran well"},
		{session.Failed, "failed"},
		{session.Interrupted, "interrupted"},
		{session.Lost, "lost with the kernel"},
		{session.Cancelled, "not run"},
		{session.Running, "still running"},
		{session.Queued, "still waiting"},
	} {
		if n := count[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	return "; of " + plural(len(f.runs), "executed cell") + ": " + strings.Join(parts, ", ")
}

// into puts the results into an answer, cut further until it may be sent.
func (f finished) into(a *answer, set func([]executionResult)) error {
	lim := outputLimits{each: f.size, total: f.size, count: maxOutputs}
	for f.chars(lim) > answerRoom/2 { // every character is sent twice
		lim = lim.halved()
	}
	expected := 0
	for _, r := range f.runs {
		expected += picturesIn(r.Outputs)
	}
	render := func() {
		pictures := f.tray(expected)
		var results []executionResult
		for _, r := range f.runs {
			results = append(results, f.show(r, lim, pictures))
		}
		set(results)
		a.images = pictures.images
	}
	render()
	return a.trim(func() bool {
		if lim.none() {
			return false
		}
		lim = lim.halved()
		render()
		return true
	})
}

// chars is how many characters of output the limits let through.
func (f finished) chars(lim outputLimits) int {
	n := 0
	for _, r := range f.runs {
		n += min(r.contents.size, lim.total)
	}
	return n
}

func (f finished) show(r finishedRun, lim outputLimits, pictures *tray) executionResult {
	pictures.from = r.from
	o := r.contents.show(lim, pictures)
	out := executionResult{
		Outputs: o.outputs, Truncated: o.truncated(), OriginalSize: o.original, OutputsOmitted: o.omitted,
		CellID: r.cell, RunID: r.id, State: string(r.State), ExecutionCount: r.Count,
	}
	out.Dropped = r.Dropped
	var says []string
	if r.Err != nil {
		says = append(says, r.Err.Error())
	} else if !r.State.Ended() {
		if r.Asking != nil {
			says = append(says, asks(r.Result)+" and is interrupted where nobody answers in time; wait_run passes the question on to a client that offers elicitation")
		}
		says = append(says, unfinished(f.timeout))
	}
	if r.Note != "" {
		says = append(says, r.Note)
	}
	if r.Dropped {
		says = append(says, "truncated by the server: output is missing, because more came at once than it passes on; "+
			"it passes more with --ServerApp.iopub_data_rate_limit and --ServerApp.iopub_msg_rate_limit")
	}
	if r.Omitted > 0 {
		says = append(says, fmt.Sprintf("%s bytes of output were left out of the notebook; the end of it is among these outputs, and get_run with output -1 pages through its text", thousands(r.Omitted)))
	}
	out.Message, _ = cut(strings.Join(says, "; "), 1000)
	return out
}

// unfinished says of a cell that goes on how to hear of it.
func unfinished(waited time.Duration) string {
	after := ""
	if waited > 0 {
		after = " after " + waited.String()
	}
	return "not finished" + after + ": it goes on, and wait_run waits for it, get_run and read_nb_cells show its outputs as they come"
}

type executeArgs struct {
	Path   string      `json:"path"`
	Ranges []cellRange `json:"ranges"`
	// Not runOptions: this tool has no exec.
	MaxSize           *int     `json:"maxCellOutputSize"`
	Timeout           *float64 `json:"timeout"`
	InterruptOnCancel *bool    `json:"interrupt_on_cancel"`
}

type executeResult struct {
	Message        string            `json:"message"`
	ExecutedRanges int               `json:"executed_ranges"`
	ExecutedCells  int               `json:"executed_cells"`
	Results        []executionResult `json:"execution_results"`
	CellIDs        []string          `json:"cell_ids"`
}

// executeNbCells makes execute_nb_cells.
func executeNbCells(d *deps) tool {
	return tool{
		name:    "execute_nb_cells",
		title:   "Run notebook cells",
		toolset: toolsetNotebook,
		description: "Runs the code cells of the ranges, in the order given, each once, in the kernel that the notebook shares with people's open tabs, starting one if there is none. " +
			"Use it to run cells as they are; their old outputs are replaced. Markdown and raw cells are passed over. " + runCost,
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			required("path", pathSchema()),
			required("ranges", rangesSchema("Cells to run.", 1)),
		}, executeProperties()...)...),
		output: object("", append([]property{
			required("message", text("")),
			required("executed_ranges", integer("")),
			required("executed_cells", integer("Code cells that were handed to the kernel or to its queue.")),
			required("execution_results", resultsSchema()),
			required("cell_ids", list("The executed cells, in order.", text(""))),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args executeArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells := doc.Notebook().Cells()
			indexes, err := resolve(args.Ranges, cells)
			if err != nil {
				return nil, err
			}
			out := executeResult{ExecutedRanges: len(args.Ranges), Results: []executionResult{}, CellIDs: []string{}}
			for _, at := range indexes {
				if cells[at].Type == ydoc.Code {
					out.CellIDs = append(out.CellIDs, cells[at].ID)
				}
			}
			out.ExecutedCells = len(out.CellIDs)
			a := &answer{body: &out, doc: doc}
			if len(out.CellIDs) == 0 {
				out.Message = fmt.Sprintf("Nothing was executed: none of the %s is a code cell", plural(len(indexes), "cell"))
				return a, nil
			}
			ran, err := d.run(ctx, doc, out.CellIDs, runOptions{
				MaxSize: args.MaxSize, Timeout: args.Timeout, InterruptOnCancel: args.InterruptOnCancel,
			})
			if err != nil {
				return nil, err
			}
			if done := ran.afterwards(""); done == "" {
				out.Message = "Successfully executed " + plural(len(args.Ranges), "cell range")
			} else {
				out.Message = "Executed " + plural(len(args.Ranges), "cell range") + done
			}
			return a, ran.into(a, func(r []executionResult) { out.Results = r })
		}),
	}
}
