// Command gate runs targets of the Makefile one after the other and prints how long each took:
//
//	gate -meanwhile environments lint test-fake environments test-contract
//
// The target of -meanwhile is started at once and runs beside the others until its name comes up in the list; there gate
// waits for it. All targets are run, even if one fails, except those after the target of -meanwhile if that fails. Two
// at a time are enough for a small machine: one downloads while the other computes.
//
// Each target sees NBDUET_TEST_LOG, a folder for the output of `go test -json`; the counts and the ten slowest tests
// come from it. A warm run fails if it takes longer than -within: the file of -stamp shows that an earlier run has
// installed and compiled what it needs. After -limit gate ends everything and prints the targets, tests and processes
// that were still running. It leaves no process behind, on Linux not even orphans.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() { os.Exit(run()) }

func run() int {
	var g gate
	flag.DurationVar(&g.limit, "limit", 2*time.Hour, "the time after which everything is ended")
	flag.DurationVar(&g.within, "within", 0, "the time after which a warm run fails; a run is warm if one has succeeded here before")
	flag.StringVar(&g.stamp, "stamp", "", "the `file` that a run leaves when it has succeeded")
	flag.StringVar(&g.meanwhile, "meanwhile", "", "the target that is run beside the others until its name comes")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "gate: name the targets to run")
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := adopt(); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		return 1
	}
	logs, err := os.MkdirTemp("", "nbduet-gate-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate: make a folder for the tests' logs:", err)
		return 1
	}
	defer os.RemoveAll(logs)
	g.logs, g.begun, g.out = logs, time.Now(), os.Stdout
	return g.run(ctx, flag.Args())
}
