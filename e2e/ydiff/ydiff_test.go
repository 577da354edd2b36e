package ydiff

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(jupytertest.Exit)) }

// TestReplicasAgree runs random programs. The first that fails is shrunk and printed.
func TestReplicasAgree(t *testing.T) {
	first, count := uint64(1), uint64(2_000)
	if s := os.Getenv("NBDUET_SEEDS"); s != "" {
		count = parse(t, "NBDUET_SEEDS", s)
	}
	if s := os.Getenv("NBDUET_SEED"); s != "" {
		first, count = parse(t, "NBDUET_SEED", s), 1
	}
	var next atomic.Uint64
	next.Store(first)
	var done atomic.Uint64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(uint64(runtime.GOMAXPROCS(0)), count) {
		wg.Go(func() {
			f, err := startForeign(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer func() {
				if err := f.stop(); err != nil {
					t.Error(err)
				}
			}()
			for seed := next.Add(1) - 1; seed < first+count && !failed.Load(); seed = next.Add(1) - 1 {
				if report := check(f, newProgram(seed)); report != "" && !failed.Swap(true) {
					t.Error(report)
				}
				if n := done.Add(1); n%10_000 == 0 {
					t.Logf("%d of %d programs, no difference so far", n, count)
				}
			}
		})
	}
	wg.Wait()
	if !t.Failed() {
		t.Logf("%d programs, no difference", count)
	}
}

// check runs a program and returns a report if it fails, with a smaller program that fails too.
func check(f *foreign, p program) string {
	err := run(f, p)
	if err == nil {
		return ""
	}
	small := shrink(p, 400, func(q program) bool { return run(f, q) != nil })
	report := fmt.Sprintf("seed %d fails: %v\nset NBDUET_SEED=%d to run it alone", p.Seed, err, p.Seed)
	return report + fmt.Sprintf("\nA smaller program that fails: %v\n%v", run(f, small), small)
}

func parse(t *testing.T, name, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == 0 {
		t.Fatalf("%s is %q: it must be a number from 1", name, s)
	}
	return n
}
