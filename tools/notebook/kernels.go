package notebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// An AvailableKernel is a kernel that the server can start.
type AvailableKernel struct {
	Name        string `json:"name" jsonschema:"For kernel_name."`
	DisplayName string `json:"display_name" jsonschema:"As people see it."`
	Language    string `json:"language"`
	Path        string `json:"path" jsonschema:"Folder of the kernel's resources on disk or, if the server does not report it, their URL on the server."`
	Default     bool   `json:"default,omitempty" jsonschema:"Started if a notebook names none."`
}

// A ListKernelsResult is the answer of list_available_kernels.
type ListKernelsResult struct {
	Kernels []AvailableKernel `json:"kernels" jsonschema:"Sorted by name, the server's default first."`
}

// listAvailableKernels makes list_available_kernels.
func listAvailableKernels(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "list_available_kernels",
		Title:       "List available kernels",
		Description: "Lists the kernels that the Jupyter server can start, one for each installed language environment. Use it before changing a notebook's kernel. Costs one request.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[ListKernelsResult](nil),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			specs, err := d.Manager.Servers().Lists.KernelSpecs(ctx)
			if err != nil {
				return nil, err
			}
			out := ListKernelsResult{Kernels: []AvailableKernel{}}
			for _, name := range slices.Sorted(maps.Keys(specs.Specs)) {
				s := specs.Specs[name]
				k := AvailableKernel{
					Name: name, DisplayName: cmp.Or(s.Spec.DisplayName, name), Language: s.Spec.Language,
					Path: s.ResourcePath(), Default: name == specs.Default,
				}
				at := len(out.Kernels)
				if k.Default {
					at = 0
				}
				out.Kernels = slices.Insert(out.Kernels, at, k)
			}
			a := &tool.Answer{Body: &out}
			return a, a.TrimTo(len(out.Kernels), func(n int) { out.Kernels = out.Kernels[:n] })
		}),
	}
}

type restartArgs struct {
	target.InNotebook
	ClearOutputs bool   `json:"clear_outputs,omitempty" jsonschema:"Whether to also clear all outputs." default:"false"`
	Exec         *bool  `json:"exec,omitempty" jsonschema:"Whether to then run all code cells." default:"true"`
	KernelName   string `json:"kernel_name,omitempty" jsonschema:"Kernel to change to, such as \"python3\". Left out: the notebook's current one." validate:"min=1,max=200"`
	RunOptions
}

// A RestartResult is the answer of restart_nb_kernel.
type RestartResult struct {
	Message        string `json:"message"`
	Restarted      bool   `json:"kernel_restarted" jsonschema:"Whether the notebook has a new kernel process: restarted, changed or first started."`
	OutputsCleared bool   `json:"outputs_cleared"`
	CellsExecuted  bool   `json:"cells_executed" jsonschema:"Whether cells were sent to the kernel; see execution_results."`
	KernelName     string `json:"kernel_name" jsonschema:"The notebook's kernel now."`
	executed
	did string // in words
}

// restartNbKernel makes restart_nb_kernel.
func restartNbKernel(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "restart_nb_kernel",
		Title:       "Restart a notebook's kernel",
		Description: "Restarts a notebook's kernel for all its users: all variables are lost and running code ends. Use it for a clean state or for a kernel that hangs. Unless exec is false it then runs all code cells from the top. Starts a kernel if needed.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.DocumentResultOf[RestartResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args restartArgs) (*tool.Answer, error) {
			if n := len(codeCells(doc)); wanted(args.Exec) && n > maxRunCells {
				return nil, fmt.Errorf("the notebook has %s, more than the %s that one call can run: restart with exec false, then run them in several calls",
					textfmt.Plural(n, "code cell"), textfmt.Thousands(maxRunCells))
			}
			var touched []string
			if args.ClearOutputs || wanted(args.Exec) {
				touched = codeCells(doc)
			}
			if err := session.MayTouch(ctx, doc, "restart", touched); err != nil {
				return nil, err
			}
			change, err := doc.Kernel().Restart(ctx, args.KernelName, wanted(args.Exec))
			if err != nil {
				return nil, kernelError(err)
			}
			return afterRestart(ctx, d, doc, args, change)
		}),
	}
}

// afterRestart clears and runs the cells as the call says, and returns the answer.
func afterRestart(ctx context.Context, d *deps.Deps, doc *session.Document, args restartArgs, change session.KernelChange) (*tool.Answer, error) {
	out := RestartResult{Restarted: change.Fresh, KernelName: change.Kernel.Name}
	out.did = did(change)
	a := &tool.Answer{Body: &out, Doc: doc, Words: target.CellWords(ctx, doc, out.words)}
	cells := codeCells(doc)
	if args.ClearOutputs || wanted(args.Exec) {
		target.Touch(ctx, doc, cells...)
	}
	if args.ClearOutputs {
		if err := ClearOutputs(ctx, doc, cells); err != nil {
			return nil, fmt.Errorf("the kernel was restarted, but the outputs could not be cleared: %w", err)
		}
		out.OutputsCleared = true
		out.did += ", cleared the outputs"
	}
	asks := ""
	if wanted(args.Exec) {
		if cells, asks = withoutAsking(doc, cells); len(cells) == 0 {
			out.did += "; no code cells to execute"
		}
	}
	out.Message = "Successfully " + out.did
	out.did += asks
	if !wanted(args.Exec) || len(cells) == 0 {
		out.Message += asks
		return a, nil
	}
	ran, err := runCells(ctx, d, doc, cells, args.RunOptions)
	if err != nil {
		return nil, fmt.Errorf("the kernel was restarted, but the cells could not be run: %w", err)
	}
	out.CellsExecuted = true
	if then := ran.afterwards(" and executed cells"); then == " and executed cells" {
		out.Message += then
	} else {
		out.Message = "The kernel is new" + then
	}
	out.Message += asks
	a.Words = target.CellWords(ctx, doc, out.words) // the cells may have moved meanwhile
	return a, ran.into(a, func(r []ExecutionResult) { out.Results = r })
}

// withoutAsking returns the cells that an agent may run without a person's permission, and a note about the others.
func withoutAsking(doc *session.Document, cells []string) (may []string, note string) {
	asks := lo.Filter(cells, func(id string, _ int) bool {
		c, _ := doc.Notebook().Cell(id)
		_, ok := editguard.InFile(editguard.CodeAsk, id, c.Metadata)
		return ok
	})
	if len(asks) > 0 {
		note = fmt.Sprintf("; passed over %s that only a person may run (%s): %s", textfmt.Plural(len(asks), "cell"), editguard.CodeAsk, strings.Join(asks, ", "))
	}
	return lo.Without(cells, asks...), note
}

// did describes the change of the kernel, to follow "Successfully".
func did(c session.KernelChange) string {
	switch {
	case c.Started:
		return "started a notebook kernel (none was running)"
	case c.Changed:
		return fmt.Sprintf("changed the notebook kernel from %s to %s", textfmt.Quoted(c.Former), textfmt.Quoted(c.Kernel.Name))
	}
	return "restarted notebook kernel"
}

// codeCells returns the ids of a notebook's code cells, in order.
func codeCells(doc *session.Document) []string {
	return codeAmong(doc.Notebook().Cells())
}

// codeAmong returns the ids of the code cells among cells, in order.
func codeAmong(cells []ydoc.Cell) []string {
	ids := lo.FilterMap(cells, func(c ydoc.Cell, _ int) (string, bool) { return c.ID, c.Type == ydoc.Code })
	return ids
}

// ClearOutputs clears the outputs of the given cells that still exist.
func ClearOutputs(ctx context.Context, doc *session.Document, cells []string) error {
	if len(cells) == 0 {
		return nil
	}
	return doc.Edit(ctx, "clear outputs", func(e *ydoc.Editor) error {
		for _, id := range cells {
			if _, ok := e.Index(id); !ok {
				continue // deleted meanwhile
			}
			if err := e.ClearOutputs(id); err != nil {
				return err
			}
		}
		return nil
	})
}

type assignArgs struct {
	target.InNotebook
	KernelName string `json:"kernel_name" jsonschema:"Name of an available kernel, such as \"python3\"." validate:"min=1,max=200"`
}

// An AssignResult is the answer of assign_nb_kernel.
type AssignResult struct {
	Message    string `json:"message"`
	Assigned   bool   `json:"kernel_assigned"`
	KernelName string `json:"kernel_name"`
}

// assignNbKernel makes assign_nb_kernel.
func assignNbKernel(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "assign_nb_kernel",
		Title:       "Choose a notebook's kernel",
		Description: "Changes a notebook's kernel, for example to another language, in its metadata and its running session, so that people's tabs follow. The former kernel is shut down with its variables; if the notebook already runs that kernel, it is kept.",
		Hints:       tool.Hints{Destructive: true, Idempotent: true},
		Output:      tool.DocumentResultOf[AssignResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args assignArgs) (*tool.Answer, error) {
			if err := session.MayTouch(ctx, doc, "assign kernel", nil); err != nil {
				return nil, err
			}
			change, err := doc.Kernel().Assign(ctx, args.KernelName)
			if err != nil {
				return nil, kernelError(err)
			}
			message := fmt.Sprintf("Successfully assigned kernel '%s' to notebook '%s'", change.Kernel.Name, doc.Path())
			switch {
			case change.Changed:
				message += fmt.Sprintf("; its former kernel '%s' was shut down", change.Former)
			case !change.Fresh:
				message += "; it already runs that kernel, which was kept with its variables"
			}
			return &tool.Answer{Body: &AssignResult{Message: message, Assigned: true, KernelName: change.Kernel.Name}, Doc: doc}, nil
		}),
	}
}

// kernelError adds advice if a kernel is not available.
func kernelError(err error) error {
	if e := (*session.NoKernelError)(nil); errors.As(err, &e) {
		return fmt.Errorf("kernel_name %s: %w"+textfmt.Hint("; list_available_kernels describes them"), textfmt.Quoted(e.Name), err)
	}
	return err
}
