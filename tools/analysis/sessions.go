package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// maxConnectable bounds the running kernels that session_list lists.
const maxConnectable = 100

// InSession is the argument of a tool that works in an analysis session.
type InSession struct {
	ID string `json:"session_id" jsonschema:"The analysis session." validate:"min=1,max=100"`
}

// A SessionInfo is one analysis session.
type SessionInfo struct {
	ID        string `json:"session_id" jsonschema:"For the other tools."`
	Name      string `json:"name,omitempty"`
	KernelID  string `json:"kernel_id"`
	Path      string `json:"notebook_path,omitempty" jsonschema:"Notebook of the kernel; absent without one."`
	Status    string `json:"status" jsonschema:"State of the kernel." validate:"oneof=idle busy starting restarting dead unknown"`
	CreatedAt string `json:"created_at" jsonschema:"ISO 8601 time."`
}

func infoOf(ctx context.Context, a *analysis.Session) SessionInfo {
	status := a.Status(ctx) // first, because it updates the other fields
	return SessionInfo{ID: a.ID(), Name: a.Name(), KernelID: a.KernelID(), Path: a.NotebookPath().String(), Status: status, CreatedAt: tool.Stamp(a.Created())}
}

type createSessionArgs struct {
	Name       string `json:"name,omitempty" jsonschema:"Name of the session." validate:"max=200"`
	Path       string `json:"notebook_path,omitempty" jsonschema:"Existing notebook to work in. Left out: none, and code leaves no trace in files." validate:"max=path"`
	KernelName string `json:"kernel_name,omitempty" jsonschema:"Such as \"python3\". Left out: the notebook's, or the server's default." validate:"min=1,max=200"`
}

// sessionCreate makes session_create.
func sessionCreate(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "session_create",
		Title:       "Start an analysis session",
		Description: "Starts a session for data analysis with its own kernel and returns its session_id. Use it before running code. With notebook_path it uses that notebook's kernel, shared with people who open it, and code appears there as cells. Takes a few seconds.",
		Output:      tool.ResultOf[SessionInfo](nil),
		Call: tool.Typed(func(ctx context.Context, args createSessionArgs) (*tool.Answer, error) {
			opt := analysis.Options{Name: args.Name, KernelName: args.KernelName}
			if args.Path != "" {
				var err error
				if opt.NotebookPath, err = target.NotebookArg("notebook_path", args.Path); err != nil {
					return nil, err
				}
			}
			if args.KernelName != "" {
				specs, err := d.Manager.Servers().Runtime.Kernels.Specs(ctx)
				if err != nil {
					return nil, err
				}
				if _, ok := specs.Specs[args.KernelName]; !ok {
					return nil, fmt.Errorf("kernel_name %s: the server has no such kernel"+textfmt.Hint("; list_available_kernels lists its kernels"), textfmt.Quoted(args.KernelName))
				}
			}
			a, err := d.Analyses.Create(ctx, tool.ClientOf(ctx), opt)
			if errors.Is(err, jupyter.ErrNotFound) && !opt.NotebookPath.IsRoot() {
				err = tool.Coded{Code: deps.CodeNotebook, Message: fmt.Sprintf("there is no notebook %q on the Jupyter server"+textfmt.Hint(": list_nbs lists the notebooks")+textfmt.Hint(", create_document makes one"), opt.NotebookPath)}
			}
			if err != nil {
				return nil, deps.AnalysisError(err)
			}
			d.WorkIn(ctx, a)
			return &tool.Answer{Body: infoOf(ctx, a)}, nil
		}),
	}
}

type connectArgs struct {
	Path     string `json:"notebook_path,omitempty" jsonschema:"Notebook whose kernel to join." validate:"max=path"`
	KernelID string `json:"kernel_id,omitempty" jsonschema:"Kernel to join, instead of notebook_path." validate:"max=200"`
}

// A ConnectResult is the answer of session_connect.
type ConnectResult struct {
	SessionInfo
	Connected bool `json:"connected"`
}

// sessionConnect makes session_connect.
func sessionConnect(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "session_connect",
		Title:       "Join a running kernel",
		Description: "Starts an analysis session in a running kernel, such as that of a notebook open in a person's browser, and shares its variables. Give the notebook or the kernel. Costs a request or two; the kernel is not changed.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[ConnectResult](nil),
		Call: tool.Typed(func(ctx context.Context, args connectArgs) (*tool.Answer, error) {
			var path jupyter.Path
			if args.Path == "" && args.KernelID == "" {
				return nil, errors.New("give notebook_path or kernel_id" + textfmt.Hint("; session_list lists the running kernels"))
			} else if args.Path != "" {
				var err error
				if path, err = target.NotebookArg("notebook_path", args.Path); err != nil {
					return nil, err
				}
			}
			a, err := d.Analyses.Connect(ctx, tool.ClientOf(ctx), path, args.KernelID)
			if errors.Is(err, analysis.ErrNoSession) {
				return nil, tool.Coded{Code: deps.CodeSession, Message: err.Error() + textfmt.Hint("; session_list lists the running kernels") + textfmt.Hint(", session_create with notebook_path starts one")}
			} else if err != nil {
				return nil, err
			}
			d.WorkIn(ctx, a)
			return &tool.Answer{Body: ConnectResult{infoOf(ctx, a), true}}, nil
		}),
	}
}

// A Connectable is a running kernel.
type Connectable struct {
	KernelID   string `json:"kernel_id"`
	KernelName string `json:"kernel_name"`
	Path       string `json:"notebook_path,omitempty"`
	Status     string `json:"status"`
}

// A SessionsResult is the answer of session_list.
type SessionsResult struct {
	Sessions []SessionInfo `json:"sessions" jsonschema:"Oldest first."`
	Kernels  []Connectable `json:"kernels" jsonschema:"Running kernels, including those of the sessions."`
	Message  string        `json:"message,omitempty" jsonschema:"Why kernels are missing."`
}

// sessionList makes session_list.
func sessionList(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "session_list",
		Title:       "List analysis sessions",
		Description: "Lists your analysis sessions with the states of their kernels, and all running kernels with their notebooks, to which a session can connect. Costs one request per session.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[SessionsResult](nil),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			out := SessionsResult{Sessions: []SessionInfo{}, Kernels: []Connectable{}}
			for _, a := range d.Analyses.List(tool.ClientOf(ctx)) {
				out.Sessions = append(out.Sessions, infoOf(ctx, a))
			}
			var err error
			if out.Kernels, err = connectable(ctx, d); err != nil {
				out.Kernels, out.Message = []Connectable{}, "the kernels could not be listed: "+err.Error()
			}
			if n := len(out.Kernels); n > maxConnectable {
				out.Kernels, out.Message = out.Kernels[:maxConnectable], fmt.Sprintf("%d of %d kernels are listed", maxConnectable, n)
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// connectable lists the running kernels, those of notebooks first, by path. It leaves out kernels that were started only for
// another client.
func connectable(ctx context.Context, d *deps.Deps) ([]Connectable, error) {
	lists := d.Manager.Servers().Lists
	kernels, err := d.VisibleKernels(ctx, lists.Kernels)
	if err != nil {
		return nil, err
	}
	sessions, err := lists.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, s := range sessions {
		if path := d.Manager.Servers().NotebookOf(s); !path.IsRoot() {
			paths[s.Kernel.ID] = path.String()
		}
	}
	out := lo.Map(kernels, func(k jupyter.Kernel, _ int) Connectable {
		return Connectable{KernelID: k.ID, KernelName: k.Name, Path: paths[k.ID], Status: k.ExecutionState}
	})
	slices.SortFunc(out, func(a, b Connectable) int {
		if (a.Path == "") != (b.Path == "") {
			return cmp.Compare(b.Path, a.Path)
		}
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.KernelID, b.KernelID))
	})
	return out, nil
}

// An EndedResult is the answer of session_delete.
type EndedResult struct {
	ID       string `json:"session_id"`
	Deleted  bool   `json:"deleted"`
	Shutdown bool   `json:"kernel_shutdown"`
	Message  string `json:"message"`
}

// sessionDelete makes session_delete.
func sessionDelete(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "session_delete",
		Title: "End an analysis session",
		Description: "Ends an analysis session. Shuts down its kernel, with all variables, if the kernel was started for this session and has no other user; a kernel that was joined, or that an open tab uses, keeps running. " +
			"The notebook is not changed. Use it when the analysis is finished. Costs a request or two.",
		Hints:  tool.Hints{Destructive: true},
		Output: tool.ResultOf[EndedResult](nil),
		Call: tool.Typed(func(ctx context.Context, args InSession) (*tool.Answer, error) {
			a, err := d.Analysis(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			if err := d.Analyses.Delete(ctx, tool.ClientOf(ctx), args.ID); err != nil {
				return nil, deps.AnalysisError(err)
			}
			end := a.End()
			out := EndedResult{ID: args.ID, Deleted: true, Shutdown: end.KernelEnded, Message: "the session has ended and its kernel is shut down"}
			if !end.KernelEnded {
				out.Message = "the session has ended; its kernel keeps running, because " + end.Kept
			}
			return &tool.Answer{Body: out}, nil
		}),
	}
}

// An InterruptedRun is a run in an [InterruptResult].
type InterruptedRun struct {
	RunID string `json:"run_id"`
	State string `json:"state"`
}

// Refine implements tool.Refiner.
func (InterruptedRun) Refine(f tool.Fields) { f.Field("state").OneOf(notebook.RunStates()...) }

// An InterruptResult is the answer of interrupt_execution.
type InterruptResult struct {
	ID      string           `json:"session_id"`
	Status  string           `json:"status" jsonschema:"State of the kernel."`
	Runs    []InterruptedRun `json:"runs" jsonschema:"The stopped runs, latest first."`
	Message string           `json:"message"`
}

// interruptExecution makes interrupt_execution.
func interruptExecution(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "interrupt_execution",
		Title:       "Interrupt a session's code",
		Description: "Stops code that you left running in an analysis session, and cancels queued code. Use it for code that takes too long. Variables are kept. Code that people run in the same kernel is left alone. Takes a few seconds at most.",
		Hints:       tool.Hints{Idempotent: true, Destructive: true},
		Output:      tool.ResultOf[InterruptResult](nil),
		Call: tool.Typed(func(ctx context.Context, args InSession) (*tool.Answer, error) {
			a, err := d.Analysis(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			runs, err := a.Interrupt(ctx)
			if err != nil {
				return nil, deps.AnalysisError(err)
			}
			wait, stop := context.WithTimeout(ctx, notebook.CancelTime)
			defer stop()
			out := InterruptResult{ID: a.ID(), Runs: []InterruptedRun{}, Message: "no code of this session was running"}
			going := 0
			for _, r := range runs {
				_ = r.Wait(wait) // code may take longer to end: its state says so
				state := r.Status().State
				if !state.Ended() {
					going++
				}
				out.Runs = append(out.Runs, InterruptedRun{r.ID, string(state)})
			}
			if len(runs) > 0 {
				out.Message = textfmt.Plural(len(runs), "run") + " stopped"
			}
			if going > 0 {
				out.Message = fmt.Sprintf("%s interrupted, %d of them still running after %s: code that ignores the interrupt continues"+textfmt.Hint(" until session_delete ends its kernel"), textfmt.Plural(len(runs), "run"), going, notebook.CancelTime)
			}
			out.Status = a.Status(ctx)
			return &tool.Answer{Body: out}, nil
		}),
	}
}
