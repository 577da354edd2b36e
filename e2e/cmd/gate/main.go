// Command gate runs targets of the Makefile one after the other and says at the end what took how long:
//
//	gate -meanwhile environments lint test-fake environments test-contract
//
// The target of -meanwhile is started at once, and runs beside the others until the one of that name in their list: there
// it is waited for. All are run, also where one fails, except what comes after the one of -meanwhile where that fails. Two
// at a time are enough for a small machine: what is fetched beside what is computed.
//
// Each target sees NBDUET_TEST_LOG, a folder for what `go test -json` writes; of that the counts and the ten slowest tests
// are made. A warm run fails if it takes longer than -within: the file of -stamp says that an earlier run has installed and
// compiled what the targets need. After -limit gate ends everything, and says which targets, tests and processes were still
// running. It leaves no process behind, on Linux also none that has left its parents.
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
