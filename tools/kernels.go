package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

func kernelNameSchema(description string) schema { return text(description).length(1, 200) }

type availableKernel struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Path        string `json:"path"`
	Default     bool   `json:"default,omitempty"`
}

type listKernelsResult struct {
	Kernels []availableKernel `json:"kernels"`
}

// listAvailableKernels makes list_available_kernels.
func listAvailableKernels(d *deps) tool {
	return tool{
		name:        "list_available_kernels",
		title:       "List the kernels there are",
		toolset:     toolsetNotebook,
		description: "Lists the kernels that the Jupyter server can start: one for each language environment that is installed. Use it before assign_nb_kernel. Costs one request.",
		marks:       marks{readOnly: true, idempotent: true},
		input:       arguments(),
		output: object("",
			required("kernels", list("Sorted by name, the server's default first.", object("",
				required("name", text("For kernel_name.")),
				required("display_name", text("As people see it.")),
				required("language", text("")),
				required("path", text("Where the server serves the kernel's resources; the REST API does not tell the folder on its disk.")),
				optional("default", boolean("Started where a notebook names none.")),
			))),
		),
		handle: typed(func(ctx context.Context, _ struct{}) (*answer, error) {
			specs, err := d.manager.KernelServer().KernelSpecs(ctx)
			if err != nil {
				return nil, err
			}
			out := listKernelsResult{Kernels: []availableKernel{}}
			for _, name := range slices.Sorted(maps.Keys(specs.Specs)) {
				s := specs.Specs[name]
				out.Kernels = append(out.Kernels, availableKernel{
					Name: name, DisplayName: cmp.Or(s.Spec.DisplayName, name), Language: s.Spec.Language,
					Path: s.ResourcePath(), Default: name == specs.Default,
				})
			}
			slices.SortStableFunc(out.Kernels, func(a, b availableKernel) int {
				switch {
				case a.Default == b.Default:
					return 0
				case a.Default:
					return -1
				}
				return 1
			})
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				out.Kernels = out.Kernels[:len(out.Kernels)*3/4]
				return len(out.Kernels) > 0
			})
		}),
	}
}

type restartArgs struct {
	runOptions
	Path         string `json:"path"`
	ClearOutputs bool   `json:"clear_outputs"`
	KernelName   string `json:"kernel_name"`
}

type restartResult struct {
	Message        string            `json:"message"`
	Restarted      bool              `json:"kernel_restarted"`
	OutputsCleared bool              `json:"outputs_cleared"`
	CellsExecuted  bool              `json:"cells_executed"`
	KernelName     string            `json:"kernel_name"`
	Results        []executionResult `json:"execution_results,omitempty"`
}

// restartNbKernel makes restart_nb_kernel.
func restartNbKernel(d *deps) tool {
	return tool{
		name:    "restart_nb_kernel",
		title:   "Restart a notebook's kernel",
		toolset: toolsetNotebook,
		description: "Restarts the kernel that the notebook shares with people's open tabs: all variables are lost, what runs is ended and what waits is cancelled. " +
			"By default it then runs all code cells from the top, which is \"restart and run all\"; exec false only restarts. Use it for a clean state, or for a kernel that hangs; to stop one cell use cancel_run. " +
			"Where there is no kernel one is started. " + runCost,
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			required("path", pathSchema()),
			optional("clear_outputs", boolean("Whether to clear the outputs of all cells after the restart.").def(false)),
			optional("exec", boolean("Whether to run all code cells after the restart.").def(true)),
			optional("kernel_name", kernelNameSchema("Kernel to change to, from list_available_kernels. Left out: the one that the notebook has.")),
		}, executeProperties()...)...),
		output: object("", append([]property{
			required("message", text("")),
			required("kernel_restarted", boolean("Whether the notebook has a new kernel process, restarted, changed or started for the first time.")),
			required("outputs_cleared", boolean("")),
			required("cells_executed", boolean("Whether cells were handed to the kernel; execution_results says what became of them.")),
			required("kernel_name", text("The kernel that the notebook has now.")),
			resultsProperty(),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args restartArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			if n := len(codeCells(doc)); args.exec() && n > maxRunCells {
				return nil, fmt.Errorf("the notebook has %s, more than the %s that one call runs: restart with exec false, then run them in several calls",
					plural(n, "code cell"), thousands(maxRunCells))
			}
			change, err := doc.RestartKernel(ctx, args.KernelName, args.exec())
			if err != nil {
				return nil, kernelError(err)
			}
			return d.afterRestart(ctx, doc, args, change)
		}),
	}
}

// afterRestart does with the cells what the call asks, and answers it.
func (d *deps) afterRestart(ctx context.Context, doc *session.Document, args restartArgs, change session.KernelChange) (*answer, error) {
	out := restartResult{Restarted: change.Fresh, KernelName: change.Kernel.Name}
	out.Message = "Successfully " + did(change)
	a := &answer{body: &out, doc: doc}
	cells := codeCells(doc)
	if args.ClearOutputs {
		if err := clearOutputs(ctx, doc, cells); err != nil {
			return nil, fmt.Errorf("the kernel was restarted, but the outputs could not be cleared: %w", err)
		}
		out.OutputsCleared = true
		out.Message += ", cleared the outputs"
	}
	if !args.exec() {
		return a, nil
	}
	if len(cells) == 0 {
		out.Message += "; there are no code cells to execute"
		return a, nil
	}
	ran, err := d.run(ctx, doc, cells, args.runOptions)
	if err != nil {
		return nil, fmt.Errorf("the kernel was restarted, but the cells could not be run: %w", err)
	}
	out.CellsExecuted = true
	if then := ran.afterwards(" and executed cells"); then == " and executed cells" {
		out.Message += then
	} else {
		out.Message = "The kernel is a new one" + then
	}
	return a, ran.into(a, func(r []executionResult) { out.Results = r })
}

// did says what became of the kernel, after "Successfully".
func did(c session.KernelChange) string {
	switch {
	case c.Started:
		return "started a notebook kernel (there was none)"
	case c.Changed:
		return fmt.Sprintf("changed the notebook kernel from %s to %s", quoted(c.Former), quoted(c.Kernel.Name))
	}
	return "restarted notebook kernel"
}

// codeCells are the ids of a notebook's code cells, in order.
func codeCells(doc *session.Document) []string {
	var ids []string
	for _, c := range doc.Notebook().Cells() {
		if c.Type == ydoc.Code {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func clearOutputs(ctx context.Context, doc *session.Document, cells []string) error {
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
	Path       string `json:"path"`
	KernelName string `json:"kernel_name"`
}

type assignResult struct {
	Message    string `json:"message"`
	Assigned   bool   `json:"kernel_assigned"`
	KernelName string `json:"kernel_name"`
}

// assignNbKernel makes assign_nb_kernel.
func assignNbKernel(d *deps) tool {
	return tool{
		name:    "assign_nb_kernel",
		title:   "Choose a notebook's kernel",
		toolset: toolsetNotebook,
		description: "Gives a notebook another kernel, such as another language's: in its metadata, and for its running session, so that people's open tabs follow. " +
			"The former kernel is shut down with all its variables, and what ran in it is lost; one of that name that runs already is kept as it is. Costs the start of a kernel, some seconds.",
		marks: marks{destructive: true, idempotent: true},
		input: arguments(
			required("path", pathSchema()),
			required("kernel_name", kernelNameSchema("From list_available_kernels.")),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("kernel_assigned", boolean("")),
			required("kernel_name", text("")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args assignArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			change, err := doc.AssignKernel(ctx, args.KernelName)
			if err != nil {
				return nil, kernelError(err)
			}
			message := fmt.Sprintf("Successfully assigned kernel '%s' to notebook '%s'", change.Kernel.Name, doc.Path())
			switch {
			case change.Changed:
				message += fmt.Sprintf("; its former kernel '%s' was shut down", change.Former)
			case !change.Fresh:
				message += "; it runs that kernel already, which was kept with its variables"
			}
			return &answer{body: &assignResult{Message: message, Assigned: true, KernelName: change.Kernel.Name}, doc: doc}, nil
		}),
	}
}

// kernelError adds what to do where a kernel is not to be had.
func kernelError(err error) error {
	if e := (*session.NoKernelError)(nil); errors.As(err, &e) {
		return fmt.Errorf("kernel_name %s: %w; list_available_kernels tells more of them", quoted(e.Name), err)
	}
	return err
}
