package session

import (
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

// Errors that have moved.
var (
	ErrNoAsker        = run.ErrNoAsker
	ErrNothingLeftOut = run.ErrNothingLeftOut
)
