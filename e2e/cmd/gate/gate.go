package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// errLimit is the cause when the time limit ends everything.
var errLimit = errors.New("the time is over")

// gate is one run of targets.
type gate struct {
	limit     time.Duration
	within    time.Duration // a warm run fails if it takes longer; 0 is no bound
	stamp     string        // a successful run leaves this file
	meanwhile string
	logs      string // a folder for each target
	begun     time.Time
	out       io.Writer

	mu    sync.Mutex
	steps []*step      // in the order of their starts
	own   map[int]bool // the processes of steps that have not ended
}

// run runs the targets and returns the exit code: 0 if all of them succeeded.
func (g *gate) run(ctx context.Context, targets []string) (code int) {
	ctx, stop := context.WithTimeoutCause(ctx, g.limit, errLimit)
	defer stop()
	finished := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { g.bury(finished) })
	watching.Go(func() {
		select {
		case <-ctx.Done():
			g.broken(context.Cause(ctx)) // before any process is ended
			endAll()
		case <-finished:
		}
	})
	ok := g.all(ctx, targets)
	close(finished)
	watching.Wait()
	for _, p := range descendants() {
		fmt.Fprintf(g.out, "gate: left behind, and ended: %s\n", p)
	}
	endAll()
	g.table()
	if !ok || ctx.Err() != nil {
		return 1
	}
	if err := g.inTime(time.Since(g.begun)); err != nil {
		fmt.Fprintln(g.out, "gate:", err)
		return 1
	}
	return 0
}

// inTime returns an error if a successful warm run took too long. It writes the stamp of successful runs.
func (g *gate) inTime(took time.Duration) error {
	if g.stamp == "" {
		return nil
	}
	_, err := os.Stat(g.stamp)
	if err == nil && g.within > 0 && took > g.within {
		return fmt.Errorf("it took %s, and may take %s where an earlier run has installed what it needs: make the slowest tests faster", short(took), g.within)
	}
	return os.WriteFile(g.stamp, nil, 0o600)
}

// begunSteps returns the steps that have begun so far.
func (g *gate) begunSteps() []*step {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.steps)
}

// all reports whether all targets succeeded.
func (g *gate) all(ctx context.Context, targets []string) bool {
	var beside *step
	if g.meanwhile != "" && slices.Contains(targets, g.meanwhile) {
		beside = g.start(g.meanwhile, true)
	}
	ok := true
	for _, name := range targets {
		if ctx.Err() != nil {
			break
		}
		if beside == nil || name != g.meanwhile {
			ok = g.now(ctx, name) && ok
			continue
		}
		begun := time.Now()
		<-beside.ended
		beside.show(g.out, time.Since(begun))
		if beside.err != nil {
			return false // the rest needs it
		}
		beside = nil
	}
	if beside != nil { // everything was ended before its turn
		<-beside.ended
		beside.show(g.out, 0)
		ok = false
	}
	return ok
}

// now runs a target and reports whether it succeeded.
func (g *gate) now(ctx context.Context, name string) bool {
	if ctx.Err() != nil {
		return false
	}
	fmt.Fprintf(g.out, "== %s\n", name)
	s := g.start(name, false)
	<-s.ended
	return s.err == nil
}
