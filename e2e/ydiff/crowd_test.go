package ydiff

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/child"
)

// TestNobodysCharacterIsLost runs random programs of two people and an agent that undoes its edits.
func TestNobodysCharacterIsLost(t *testing.T) {
	t.Parallel()
	first, count := uint64(1), uint64(500)
	if s := os.Getenv("NBDUET_CROWDS"); s != "" {
		count = parse(t, "NBDUET_CROWDS", s)
	}
	if s := os.Getenv("NBDUET_FIRST_CROWD"); s != "" {
		first = parse(t, "NBDUET_FIRST_CROWD", s)
	}
	if s := os.Getenv("NBDUET_CROWD"); s != "" {
		first, count = parse(t, "NBDUET_CROWD", s), 1
	}
	node, err := startYjs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	}()
	all := map[string]int{}
	for seed := first; seed < first+count; seed++ {
		c := newCrowd(seed)
		counts, err := runCrowd(t.Context(), node, c)
		if err != nil {
			t.Fatal(reportCrowd(t.Context(), node, c, err))
		}
		all["steps"] += len(c.Steps)
		for what, n := range counts {
			all[what] += n
		}
	}
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "\n%8d  %s", all[what], what)
	}
	t.Logf("%d programs%s", count, b.String())
	if count < 100 {
		return
	}
	// A run is worth nothing unless these have occurred.
	for _, d := range slices.Concat(peoplesDeeds, []draw{{name: takenBack}, {name: madeAgain}, {name: keptCells}}) {
		if all[d.name] == 0 {
			t.Errorf("nothing of this: %s", d.name)
		}
	}
	if all[demanded] < (all[typed]-all[erased])*3/4 {
		t.Errorf("only %d of %d characters have to be there", all[demanded], all[typed]-all[erased])
	}
}

// reportCrowd reports a failed program, with a smaller one that fails too.
func reportCrowd(ctx context.Context, node *child.Process, c crowd, err error) string {
	tries := 2_000
	small, smallErr := c, err
	fewer(c.Steps, func(steps []deed) bool {
		if tries--; tries < 0 {
			return false
		}
		q := c
		q.Steps = steps
		_, err := runCrowd(ctx, node, q)
		if err != nil {
			small, smallErr = q, err
		}
		return err != nil
	}, func() bool { return tries > 0 })
	return fmt.Sprintf("seed %d fails: %v\nset NBDUET_CROWD=%d to run it alone\nA smaller program that fails: %v\n%v", c.Seed, err, c.Seed, smallErr, small)
}
