package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	program "github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The program's limits, its time to answer when it knows that the server is away, and the additional time on a busy
// machine.
const (
	serverTimeout = 10 * time.Second
	answerWithin  = 20 * time.Second
	knownAway     = 2 * time.Second
	slack         = 2 * time.Second
)

// phase is the time of the outage relative to the call.
type phase string

const (
	long   phase = "long before" // the call is made some time after the start
	before phase = "before"      // the call is made right after the start
	during phase = "during"      // the outage starts during the call
	after  phase = "after"       // the outage starts after the answer
)

// nbduet builds the program, once; TestMain removes it.
var nbduet = sync.OnceValues(func() (string, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "nbduet-bin-")
	if err != nil {
		return "", err
	}
	built = dir
	return program.Build(root, dir)
})

// built is the folder of the program, or "" if not built.
var built string

// Each operation of the program meets each way in which a server or a kernel goes away, before, during and after the
// call: it answers within its bound, and its answer agrees with the room, as pycrdt reads it after the recovery. Killed
// servers have separate tests too.
//
// The outages come one after the other, because each has dozens of rooms, kernels and calls at a time, and the test
// measures how long the program takes to answer.
func TestOutages(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(outages)) {
		t.Run(name, func(t *testing.T) { meet(t, outages[name]) })
	}
}

// trial is one operation that meets an outage, in its own notebook.
type trial struct {
	*site
	op    operation
	phase phase
	path  string
	word  string // its unique text
	run   string // the id of its run
	uri   string // of its resource

	answer answer

	mu   sync.Mutex
	lost string // the program's report of lost edits
}

func (x *trial) String() string { return x.op.name + ", outage " + string(x.phase) + " it" }

// meet runs one outage with all operations.
func meet(t *testing.T, o outage) {
	s := newSite(t, o)
	var trials []*trial
	for _, op := range operations {
		for _, p := range []phase{long, before, during, after} {
			x := &trial{site: s, op: op, phase: p}
			x.path = s.server.Notebook(t, op.sources()...)
			x.word = fmt.Sprintf("%s, %s", op.name, p)
			trials = append(trials, x)
		}
	}
	ctx := t.Context()
	prepare := func(phases ...phase) {
		some := only(trials, phases...)
		few(some, func(x *trial) {
			if err := x.open(ctx); err != nil {
				t.Errorf("%v: open: %v", x, err)
			}
		})
		each(some, func(x *trial) {
			if err := x.prepare(ctx); err != nil {
				t.Errorf("%v: prepare: %v", x, err)
			}
		})
	}
	prepare(after)
	each(only(trials, after), func(x *trial) { x.ask(ctx) })
	prepare(long, before, during)
	if t.Failed() {
		t.FailNow()
	}
	// These calls are under way when the outage begins: a run or a wait certainly, the others by chance, since they take
	// some milliseconds.
	var under sync.WaitGroup
	for _, x := range only(trials, during) {
		under.Go(func() { x.ask(ctx) })
	}
	o.begin(s)
	each(only(trials, before), func(x *trial) { x.ask(ctx) })
	under.Wait()
	if o.others {
		each(only(trials, long), func(x *trial) {
			if err := x.elsewhere(ctx); err != nil {
				t.Errorf("%v: somebody else's edit: %v", x, err)
			}
		})
	}
	each(only(trials, long), func(x *trial) { x.ask(ctx) })
	o.end(s)
	each(trials, func(x *trial) {
		if err := x.check(ctx); err != nil {
			t.Errorf("%v: %v\nit was answered, after %v: %v", x, err, x.answer.took.Round(time.Millisecond), x.answer)
		}
	})
	tally(t, trials)
}

// each calls f for all trials concurrently.
func each(trials []*trial, f func(*trial)) {
	var all sync.WaitGroup
	for _, x := range trials {
		all.Go(func() { f(x) })
	}
	all.Wait()
}

// few calls f for all trials, four at a time, to open notebooks: the server keeps all rooms in one store, and silently
// loses every write that was locked out for five seconds (pycrdt.store logs "database is locked" and continues). The
// next server would then find rooms that lack their beginning.
func few(trials []*trial, f func(*trial)) {
	free := make(chan struct{}, 4)
	each(trials, func(x *trial) {
		free <- struct{}{}
		defer func() { <-free }()
		f(x)
	})
}

func only(trials []*trial, phases ...phase) (some []*trial) {
	for _, x := range trials {
		if slices.Contains(phases, x.phase) {
			some = append(some, x)
		}
	}
	return some
}

// open opens the notebook before the outage.
func (x *trial) open(ctx context.Context) error {
	_, err := x.agent.Do(ctx, "read_nb_cells", map[string]any{"path": x.path}, nil)
	return err
}

// prepare sets up the operation before the outage.
func (x *trial) prepare(ctx context.Context) error {
	if x.op.prepare == nil {
		return nil
	}
	return x.op.prepare(ctx, x)
}

// ask calls the operation and records its answer and the time.
func (x *trial) ask(ctx context.Context) {
	began := time.Now()
	ctx, stop := context.WithTimeout(ctx, poll.Patience)
	defer stop()
	x.answer = x.op.call(ctx, x)
	x.answer.took = time.Since(began) - x.answer.then
}

// check compares the answer with the room after the outage.
func (x *trial) check(ctx context.Context) error {
	var errs []error
	if bound := x.bound(); x.answer.took > bound+slack {
		errs = append(errs, fmt.Errorf("it took %v, and its bound is %v", x.answer.took, bound))
	}
	// It comes after one call has timed out.
	if x.answer.then > knownAway+slack {
		errs = append(errs, fmt.Errorf("the call behind it took %v, and its bound is %v", x.answer.then, knownAway))
	}
	if x.answer.kind == surprising {
		errs = append(errs, errors.New("the answer does not say what became of it"))
	}
	// A confirmed edit comes after all earlier ones, so that nothing of the call is under way afterwards.
	if err := poll.Until(ctx, "an edit to be made again", x.probe); err != nil {
		return errors.Join(append(errs, err)...)
	}
	var now []cell
	if err := poll.Until(ctx, "the program to read what is in the room", func(ctx context.Context) (err error) {
		now, err = x.reread(ctx)
		return err
	}); err != nil {
		return errors.Join(append(errs, err)...)
	}
	now = slices.DeleteFunc(now, func(c cell) bool { return c.Source == others })
	return errors.Join(append(errs, x.op.check(ctx, x, now))...)
}

// bound returns the time limit of the call.
func (x *trial) bound() time.Duration {
	switch {
	case x.phase == long && x.outage.lasts && !x.op.waits:
		return knownAway // earlier calls have timed out
	case x.op.runs:
		return answerWithin
	}
	return serverTimeout
}

// reread reads the notebook through the program and through pycrdt; both must see the same.
func (x *trial) reread(ctx context.Context) ([]cell, error) {
	seen, err := x.read(ctx)
	if err != nil {
		return nil, err
	}
	there, err := x.independent(ctx, x.path)
	if err != nil {
		return nil, err
	}
	var shown []string
	for _, c := range seen {
		shown = append(shown, c.ID+" "+c.Source)
	}
	if !slices.Equal(shown, there) {
		return nil, fmt.Errorf("the program shows\n%q\nin the room is\n%q", shown, there)
	}
	return seen, nil
}

// probe makes an edit that is not checked. It waits for the answer, which may report lost edits; that is reported only
// once.
func (x *trial) probe(ctx context.Context) error {
	args := map[string]any{"path": x.path, "position": 0, "exec": false, "cells": []map[string]any{{"type": "markdown", "content": probes}}}
	a := x.tool(ctx, "insert_nb_cells", args)
	if x.hear(a); a.kind != made {
		return errors.New(a.text)
	}
	return nil
}

// tally logs the kinds of the answers.
func tally(t *testing.T, trials []*trial) {
	count := make(map[string]int)
	var longest time.Duration
	for _, x := range trials {
		count[string(x.phase)+": "+x.answer.kind.String()]++
		longest = max(longest, x.answer.took)
		t.Logf("%-40v %6.2f s %6.2f s %-11v %.160s", x, x.answer.took.Seconds(), x.answer.then.Seconds(), x.answer.kind, strings.ReplaceAll(x.answer.text, "\n", " "))
	}
	t.Logf("%v; the longest took %v", count, longest.Round(time.Millisecond))
}

// Sources of cells that do not belong to an operation.
const (
	probes = "probe"
	others = "somebody else's"
)

// elsewhere makes an edit of a client that is still connected.
func (x *trial) elsewhere(ctx context.Context) error {
	d, err := newPatient(x.t, x.server.URL, x.server.Token).Open(ctx, jupyter.MustPath(x.path))
	if err != nil {
		return err
	}
	defer d.Release()
	l := &ledger{}
	if l.insert(ctx, d, 0, others); len(l.made) != 1 {
		return fmt.Errorf("%v: %w", l, errors.Join(l.surprise...))
	}
	return nil
}

// site is a server, the line to it, and the program at its end.
type site struct {
	t      *testing.T
	outage outage
	server *jupytertest.Server // the present one
	next   *jupytertest.Server // its successor, or nil
	line   *line
	mend   func() // removes the line's faults
	agent  *program.Agent
}
