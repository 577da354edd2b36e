package rooms_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/ydoc"
)

// Two agents on a bad line edit one notebook, and one of them runs a streaming cell, while a fault comes and goes.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := jupytertest.Shared(t)
	for name, c := range map[string]struct {
		faults []fault
		lasts  time.Duration
	}{
		"reset":     {[]fault{{"reset", "reset_peer", "downstream", 1, map[string]any{"timeout": 0}}}, 300 * time.Millisecond},
		"half-open": {both("timeout", map[string]any{"timeout": 0}), 4 * time.Second},
		"sliced":    {both("slicer", map[string]any{"average_size": 7, "size_variation": 5, "delay": 20}), 3 * time.Second},
		"late":      {both("latency", map[string]any{"latency": 300, "jitter": 50}), 3 * time.Second},
		"slow":      {both("bandwidth", map[string]any{"rate": 50}), 3 * time.Second},
		"mute":      {[]fault{{"mute", "timeout", "upstream", 1, map[string]any{"timeout": 0}}}, 4 * time.Second},
		"deaf":      {[]fault{{"deaf", "timeout", "downstream", 1, map[string]any{"timeout": 0}}}, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := s.Notebook(t, "import time\nfor i in range(150):\n    print('line', i, flush=True)\n    time.sleep(0.01)")
			bad := newLine(t, s)
			docs := []*session.Document{
				newAgent(t, bad.url(), s.Token).open(path),
				newAgent(t, bad.url(), s.Token).open(path),
			}
			l := &ledger{}
			runs, err := docs[0].Run(t.Context(), []string{"c0"})
			if err != nil {
				t.Fatal(err)
			}
			var typing sync.WaitGroup
			for who, d := range docs {
				typing.Go(func() { typeCells(t.Context(), l, d, fmt.Sprintf("%s-%d", name, who)) })
			}
			time.Sleep(300 * time.Millisecond) // into the middle of it
			mend := bad.fail(c.faults)
			time.Sleep(c.lasts)
			mend()
			typing.Wait()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			if err := runs[0].Wait(ctx); err != nil {
				t.Fatalf("the run does not end: %v; it is %+v", err, runs[0].Result())
			}
			settles(t, s, path, l, docs...)
			if len(l.made) == 0 {
				t.Errorf("no edit was made at all: %v", l)
			}
			checkStream(t, runs[0].Result(), docs[0], docs[1])
			t.Log(l, runs[0].Result().State)
		})
	}
}

// typeCells makes 25 edits, one every 20 ms if the room is fast, each with the time limit of a tool call.
func typeCells(ctx context.Context, l *ledger, d *session.Document, name string) {
	for i := range 25 {
		call, stop := context.WithTimeout(ctx, 15*time.Second)
		l.insert(call, d, i*7, fmt.Sprintf("%s-%d", name, i))
		stop()
		time.Sleep(20 * time.Millisecond)
	}
}

// text returns the text of all streams.
func text(outputs []ydoc.Output) string {
	var b strings.Builder
	for _, o := range outputs {
		if s, ok := o["text"].(string); ok {
			b.WriteString(s)
		}
	}
	return b.String()
}

// checkStream compares the answer to a run with the cell, as another agent sees it: the same text, no duplicate line,
// and no line missing without a note.
func checkStream(t *testing.T, r run.Result, ran, seen *session.Document) {
	t.Helper()
	for _, d := range []*session.Document{ran, seen} { // first the output reaches the room; then the other agent has it
		if err := d.Settled(t.Context()); err != nil {
			t.Error(err)
		}
	}
	c, _ := seen.Notebook().Cell("c0")
	want, got := text(r.Outputs), text(c.Outputs)
	if want != got {
		t.Errorf("the run's answer has\n%q\nthe cell\n%q", want, got)
	}
	if c.ExecutionState != "idle" {
		t.Errorf("the cell is left %q", c.ExecutionState)
	}
	missing := 0
	for i := range 150 {
		switch n := strings.Count(got, fmt.Sprintf("line %d\n", i)); {
		case n == 0:
			missing++
		case n > 1:
			t.Errorf("line %d is there %d times", i, n)
		}
	}
	told := r.State != run.Done || strings.Contains(got, "may be missing")
	if missing > 0 && !told {
		t.Errorf("%d lines are missing from a run that is %s, without a word", missing, r.State)
	}
}
