package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
)

// The codes of the errors that analysis sessions are answered with.
const (
	codeSession  = "session_not_found"
	codeNotebook = "notebook_not_found"
	codeNone     = "no_notebook"
	codeKernel   = "kernel_not_found"
	codeCell     = "cell_not_found"
)

// maxConnectable bounds the running kernels that session_list lists.
const maxConnectable = 100

func sessionProperty() property {
	return required("session_id", sessionIDSchema())
}

func sessionIDSchema() schema {
	return text("As answered by session_create or session_connect.").length(1, 100)
}

// analysis finds a session of the call's client.
func (d *deps) analysis(ctx context.Context, id string) (*Analysis, error) {
	a, err := d.manager.Analysis(clientOf(ctx), id)
	return a, analysisError(err)
}

// analysisError gives an error its code, where it has one, and says what to do.
func analysisError(err error) error {
	switch {
	case errors.Is(err, session.ErrNoAnalysis):
		return coded{codeSession, err.Error() + "; session_list shows those there are, session_create makes one"}
	case errors.Is(err, session.ErrNoNotebook):
		return coded{codeNone, err.Error() + ": session_create with notebook_path makes a session that has one"}
	case errors.Is(err, session.ErrKernelGone):
		return coded{codeKernel, err.Error() + "; session_create makes a session with a new one"}
	}
	return err
}

// sessionNotebook finds a session of the caller's and opens its notebook, nil where it has none.
func (d *deps) sessionNotebook(ctx context.Context, id string) (*Analysis, *session.Document, error) {
	a, err := d.analysis(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	doc, err := a.Open(ctx)
	switch {
	case errors.Is(err, session.ErrNoNotebook):
		return a, nil, nil
	case errors.Is(err, jupyter.ErrNotFound):
		return nil, nil, coded{codeNotebook, fmt.Sprintf("the session's notebook %q is no longer on the Jupyter server", a.NotebookPath())}
	case err == nil:
		d.visits.note(ctx, doc, false)
	}
	return a, doc, err
}

// A sessionInfo is one analysis session.
type sessionInfo struct {
	ID        string `json:"session_id"`
	Name      string `json:"name,omitempty"`
	KernelID  string `json:"kernel_id"`
	Path      string `json:"notebook_path,omitempty"`
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
}

func infoOf(ctx context.Context, a *Analysis) sessionInfo {
	status := a.Status(ctx) // first: it finds out what has changed
	return sessionInfo{ID: a.ID(), Name: a.Name(), KernelID: a.KernelID(), Path: a.NotebookPath(), Status: status, CreatedAt: stamp(a.Created())}
}

func infoProperties() []property {
	return []property{
		required("session_id", text("For the other tools.")),
		optional("name", text("")),
		required("kernel_id", text("")),
		optional("notebook_path", text("The notebook whose kernel it is; absent where there is none.")),
		required("status", statusSchema("Of the kernel.", kernel.StateIdle, kernel.StateBusy, kernel.StateStarting, kernel.StateRestarting, kernel.StateDead, kernel.StateUnknown)),
		required("created_at", text("ISO 8601 time.")),
	}
}

type createSessionArgs struct {
	Name       string `json:"name"`
	Path       string `json:"notebook_path"`
	KernelName string `json:"kernel_name"`
}

// sessionCreate makes session_create.
func sessionCreate(d *deps) tool {
	return tool{
		name:    "session_create",
		title:   "Start an analysis session",
		toolset: toolsetAnalysis,
		description: "Makes a session for data analysis with a kernel of its own, and answers its session_id. Call it before execute_code. " +
			"With notebook_path the session has that notebook's kernel, which people who open the notebook share, and what execute_code runs appears there as cells. Costs the start of a kernel, some seconds.",
		input: arguments(
			optional("name", text("What to call the session.").length(0, 200)),
			optional("notebook_path", text("Notebook to work in; it has to be there. Left out: none, and code leaves no trace in any file.").length(0, 4096)),
			optional("kernel_name", kernelNameSchema("From list_available_kernels. Left out: the notebook's, or the server's default.")),
		),
		output: object("", infoProperties()...),
		handle: typed(func(ctx context.Context, args createSessionArgs) (*answer, error) {
			opt := AnalysisOptions{Name: args.Name, KernelName: args.KernelName}
			if args.Path != "" {
				var err error
				if opt.NotebookPath, err = notebookArg("notebook_path", args.Path); err != nil {
					return nil, err
				}
			}
			if args.KernelName != "" {
				specs, err := d.manager.KernelServer().KernelSpecs(ctx)
				if err != nil {
					return nil, err
				}
				if _, ok := specs.Specs[args.KernelName]; !ok {
					return nil, fmt.Errorf("kernel_name %s: the server has no such kernel; list_available_kernels shows those there are", quoted(args.KernelName))
				}
			}
			a, err := d.manager.CreateAnalysis(ctx, clientOf(ctx), opt)
			if errors.Is(err, jupyter.ErrNotFound) && opt.NotebookPath != "" {
				err = coded{codeNotebook, fmt.Sprintf("there is no notebook %q on the Jupyter server: list_nbs shows the notebooks there are, create_document makes one", opt.NotebookPath)}
			}
			if err != nil {
				return nil, analysisError(err)
			}
			d.workIn(ctx, a)
			return &answer{body: infoOf(ctx, a)}, nil
		}),
	}
}

type connectArgs struct {
	Path     string `json:"notebook_path"`
	KernelID string `json:"kernel_id"`
}

type connectResult struct {
	sessionInfo
	Connected bool `json:"connected"`
}

// sessionConnect makes session_connect.
func sessionConnect(d *deps) tool {
	return tool{
		name:    "session_connect",
		title:   "Join a running kernel",
		toolset: toolsetAnalysis,
		description: "Makes an analysis session of a kernel that runs already, such as that of a notebook which somebody has open in the browser: its variables are shared. " +
			"Name the notebook, or the kernel as session_list shows it. Where no kernel runs, use session_create. Costs a request or two; the kernel is left as it is.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("notebook_path", text("Notebook whose kernel to join.").length(0, 4096)),
			optional("kernel_id", text("Kernel to join, in place of notebook_path.").length(0, 200)),
		),
		output: object("", append(infoProperties(), required("connected", boolean("")))...),
		handle: typed(func(ctx context.Context, args connectArgs) (*answer, error) {
			path := args.Path
			if path == "" && args.KernelID == "" {
				return nil, errors.New("give notebook_path or kernel_id; session_list shows the kernels that run")
			} else if path != "" {
				var err error
				if path, err = notebookArg("notebook_path", path); err != nil {
					return nil, err
				}
			}
			a, err := d.manager.ConnectAnalysis(ctx, clientOf(ctx), path, args.KernelID)
			if errors.Is(err, session.ErrNoAnalysis) {
				return nil, coded{codeSession, err.Error() + "; session_list shows the kernels that run, session_create with notebook_path starts one"}
			} else if err != nil {
				return nil, err
			}
			d.workIn(ctx, a)
			return &answer{body: connectResult{infoOf(ctx, a), true}}, nil
		}),
	}
}

type connectable struct {
	KernelID   string `json:"kernel_id"`
	KernelName string `json:"kernel_name"`
	Path       string `json:"notebook_path,omitempty"`
	Status     string `json:"status"`
}

type sessionsResult struct {
	Sessions []sessionInfo `json:"sessions"`
	Kernels  []connectable `json:"kernels"`
	Message  string        `json:"message,omitempty"`
}

// sessionList makes session_list.
func sessionList(d *deps) tool {
	return tool{
		name:    "session_list",
		title:   "List analysis sessions",
		toolset: toolsetAnalysis,
		description: "Lists your analysis sessions and whether their kernels are idle or busy, and all kernels that run on the server with their notebooks, which session_connect can join. " +
			"Costs a request a session.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(),
		output: object("",
			required("sessions", list("Oldest first.", object("", infoProperties()...))),
			required("kernels", list("What runs on the server, those of the sessions included.", object("",
				required("kernel_id", text("")),
				required("kernel_name", text("")),
				optional("notebook_path", text("")),
				required("status", text("")),
			))),
			optional("message", text("Why kernels are missing.")),
		),
		handle: typed(func(ctx context.Context, _ struct{}) (*answer, error) {
			out := sessionsResult{Sessions: []sessionInfo{}, Kernels: []connectable{}}
			for _, a := range d.manager.Analyses(clientOf(ctx)) {
				out.Sessions = append(out.Sessions, infoOf(ctx, a))
			}
			var err error
			if out.Kernels, err = d.connectable(ctx); err != nil {
				out.Kernels, out.Message = []connectable{}, "the kernels are not known: "+err.Error()
			}
			if n := len(out.Kernels); n > maxConnectable {
				out.Kernels, out.Message = out.Kernels[:maxConnectable], fmt.Sprintf("%d of %d kernels are listed", maxConnectable, n)
			}
			return &answer{body: out}, nil
		}),
	}
}

// connectable lists the kernels that run, those of notebooks first, by path. Those that were started for another client
// alone are left out.
func (d *deps) connectable(ctx context.Context) ([]connectable, error) {
	kernels, err := d.manager.KernelServer().Kernels(ctx)
	if err != nil {
		return nil, err
	}
	sessions, err := d.manager.KernelServer().Sessions(ctx)
	if err != nil {
		return nil, err
	}
	others, err := d.manager.OthersKernels(ctx, clientOf(ctx))
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, s := range sessions {
		if path := d.manager.NotebookOf(s); path != "" {
			paths[s.Kernel.ID] = path
		}
	}
	out := make([]connectable, 0, len(kernels))
	for _, k := range kernels {
		if others[k.ID] {
			continue
		}
		out = append(out, connectable{KernelID: k.ID, KernelName: k.Name, Path: paths[k.ID], Status: k.ExecutionState})
	}
	slices.SortFunc(out, func(a, b connectable) int {
		if (a.Path == "") != (b.Path == "") {
			return cmp.Compare(b.Path, a.Path)
		}
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.KernelID, b.KernelID))
	})
	return out, nil
}

type sessionArgs struct {
	ID string `json:"session_id"`
}

type endedResult struct {
	ID       string `json:"session_id"`
	Deleted  bool   `json:"deleted"`
	Shutdown bool   `json:"kernel_shutdown"`
	Message  string `json:"message"`
}

// sessionDelete makes session_delete.
func sessionDelete(d *deps) tool {
	return tool{
		name:    "session_delete",
		title:   "End an analysis session",
		toolset: toolsetAnalysis,
		description: "Ends an analysis session. Its kernel is shut down, with all variables, where it was started for this session and nobody else uses it; a kernel that was joined, or that an open tab uses, goes on. " +
			"The notebook stays as it is. Use it when the analysis is finished. Costs a request or two.",
		marks: marks{destructive: true},
		input: arguments(sessionProperty()),
		output: object("",
			required("session_id", text("")),
			required("deleted", boolean("")),
			required("kernel_shutdown", boolean("")),
			required("message", text("")),
		),
		handle: typed(func(ctx context.Context, args sessionArgs) (*answer, error) {
			a, err := d.analysis(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if err := d.manager.DeleteAnalysis(ctx, clientOf(ctx), args.ID); err != nil {
				return nil, analysisError(err)
			}
			end := a.End()
			out := endedResult{ID: args.ID, Deleted: true, Shutdown: end.KernelEnded, Message: "the session is ended and its kernel shut down"}
			if !end.KernelEnded {
				out.Message = "the session is ended; its kernel goes on, because " + end.Kept
			}
			return &answer{body: out}, nil
		}),
	}
}

type interruptedRun struct {
	RunID string `json:"run_id"`
	State string `json:"state"`
}

type interruptResult struct {
	ID      string           `json:"session_id"`
	Status  string           `json:"status"`
	Runs    []interruptedRun `json:"runs"`
	Message string           `json:"message"`
}

// interruptExecution makes interrupt_execution.
func interruptExecution(d *deps) tool {
	return tool{
		name:    "interrupt_execution",
		title:   "Interrupt a session's code",
		toolset: toolsetAnalysis,
		description: "Stops what execute_code and execute_cell have left running in a session, and takes back what waits. Variables stay. What people run in the same kernel is left alone. " +
			"Use it for code that takes too long. Costs some seconds at most.",
		marks: marks{idempotent: true, destructive: true},
		input: arguments(sessionProperty()),
		output: object("",
			required("session_id", text("")),
			required("status", text("Of the kernel.")),
			required("runs", list("What was stopped, the latest first.", object("", required("run_id", text("")), required("state", stateSchema())))),
			required("message", text("")),
		),
		handle: typed(func(ctx context.Context, args sessionArgs) (*answer, error) {
			a, err := d.analysis(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			runs, err := a.Interrupt(ctx)
			if err != nil {
				return nil, analysisError(err)
			}
			wait, stop := context.WithTimeout(ctx, cancelTime)
			defer stop()
			out := interruptResult{ID: a.ID(), Runs: []interruptedRun{}, Message: "nothing of this session's was running"}
			going := 0
			for _, r := range runs {
				_ = r.Wait(wait) // code may take longer to heed the interrupt: the state says so
				state := r.Status().State
				if !state.Ended() {
					going++
				}
				out.Runs = append(out.Runs, interruptedRun{r.ID, string(state)})
			}
			if len(runs) > 0 {
				out.Message = plural(len(runs), "run") + " stopped"
			}
			if going > 0 {
				out.Message = fmt.Sprintf("%s asked to stop, of which %d had not ended after %s: code that ignores the interrupt ends with session_delete", plural(len(runs), "run"), going, cancelTime)
			}
			out.Status = a.Status(ctx)
			return &answer{body: out}, nil
		}),
	}
}
