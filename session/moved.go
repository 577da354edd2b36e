package session

import (
	"context"
	"errors"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/run"
)

// What has moved to packages of its own.
type (
	//go:fix inline
	FixedKernel = kernel.Fixed
	//go:fix inline
	Run = run.Run
	//go:fix inline
	Result = run.Result
	//go:fix inline
	RunState = run.State
	//go:fix inline
	RunOptions = run.Options
	//go:fix inline
	Question = run.Question
	//go:fix inline
	Asker = run.Asker
	//go:fix inline
	Execute = run.Execute
)

//go:fix inline
const (
	Queued              = run.Queued
	Running             = run.Running
	Done                = run.Done
	Failed              = run.Failed
	Interrupted         = run.Interrupted
	Cancelled           = run.Cancelled
	Lost                = run.Lost
	ExecuteAuto         = run.ExecuteAuto
	ExecuteKernel       = run.ExecuteKernel
	ExecuteServer       = run.ExecuteServer
	DefaultInputTimeout = run.DefaultInputTimeout
)

// ExecuteWords are the values that there are.
//
//go:fix inline
func ExecuteWords() []string { return run.ExecuteWords() }

// The errors of what has moved to packages that import this one, which have them under the names of the comments.
var (
	ErrNoAnalysis = errors.New("there is no such analysis session")                // analysis.ErrNoSession
	ErrNoNotebook = errors.New("the analysis session has no notebook")             // analysis.ErrNoNotebook
	ErrKernelGone = errors.New("the kernel is gone")                               // analysis.ErrKernelGone
	ErrNoKernel   = errors.New("there is no such kernel")                          // analysis.ErrNoKernel
	ErrExists     = errors.New("there is something at that path already")          // files.ErrExists
	ErrNoFolder   = errors.New("no such folder")                                   // files.ErrNoFolder
	ErrFolder     = errors.New("it is a folder")                                   // files.ErrFolder
	ErrOtherKind  = errors.New("another kind of document")                         // files.ErrOtherKind
	ErrNoHelper   = errors.New("the Jupyter server has no kernel for Python")      // helper.ErrNoHelper
	ErrDirectory  = errors.New("it is a folder")                                   // helper.ErrDirectory
	ErrOutOfReach = errors.New("the file is out of the kernels' reach")            // helper.ErrOutOfReach
	ErrReaderDied = errors.New("the process that read the file has ended over it") // helper.ErrReaderDied
)

// The errors of runs, which are those of package run.
var (
	ErrNoAsker        = run.ErrNoAsker
	ErrNothingLeftOut = run.ErrNothingLeftOut
)

// Server is the Jupyter server that the documents are on.
//
//go:fix inline
func (m *Manager) Server() *jupyter.Server { return m.Servers().Documents }

// KernelServer is the Jupyter server that has the kernels: Server, or another.
//
//go:fix inline
func (m *Manager) KernelServer() *jupyter.Server { return m.Servers().Kernels }

// Apart reports whether the kernels are on another server than the documents.
//
//go:fix inline
func (m *Manager) Apart() bool { return m.Servers().Apart() }

// NotebookOf is the path of the notebook that a Jupyter session is of.
//
//go:fix inline
func (m *Manager) NotebookOf(s jupyter.Session) string { return m.Servers().NotebookOf(s) }

// OthersKernels gives the ids of the kernels that were started for others.
//
//go:fix inline
func (m *Manager) OthersKernels(ctx context.Context, owner string) (map[string]bool, error) {
	return m.Owners().Others(ctx, owner)
}

// Run finds a run by its id, as long as it is remembered.
//
//go:fix inline
func (m *Manager) Run(id string) (*run.Run, bool) { return m.RunTable().Run(id) }

// Runs lists the runs that are remembered, the latest first: those of one notebook, or of all where path is "".
//
//go:fix inline
func (m *Manager) Runs(path string) []*run.Run { return m.RunTable().Runs(path) }
