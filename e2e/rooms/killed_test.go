package rooms_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// typeUntil makes edits until stop is closed, each with the time limit of a tool call. An edit cancels a running save in
// the server (jupyter_server_ydoc rooms.py, _maybe_save_document); so if two agents edited almost without pause, nothing
// would be saved on a slow machine.
func typeUntil(stop <-chan struct{}, l *ledger, d *session.Document, name string) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(150 * time.Millisecond):
		}
		call, end := context.WithTimeout(context.Background(), 15*time.Second)
		l.insert(call, d, i*7, fmt.Sprintf("%s-%d", name, i))
		end()
	}
}

// A server that is killed during edits loses its unsaved edits, even confirmed ones. Saved edits stay, once; later
// answers are correct; no edit is duplicated, and no edit that was answered as not made exists. A client that has lost a
// confirmed edit is informed.
func TestServerKilledWhileEditing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agents  int
		history bool
	}{
		"one agent":                {1, false},
		"two agents":               {2, false},
		"two agents, with history": {2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := pair(t, c.history)
			path := first.Notebook(t, "x = 1", "y = 2")
			file := filepath.Join(first.Root, path)
			l := newLine(t, first)
			lg := &ledger{}
			var docs []*session.Document
			stop, stopped := make(chan struct{}), make(chan struct{}, c.agents)
			for i := range c.agents {
				d := newAgent(t, l.url(), first.Token).open(path)
				docs = append(docs, d)
				go func() {
					typeUntil(stop, lg, d, fmt.Sprint("k", i))
					stopped <- struct{}{}
				}()
			}
			if err := poll.Until(t.Context(), "edits on disk", func(context.Context) error {
				saved, err := readSources(file)
				if err != nil {
					return err
				}
				if len(saved) < 12 {
					return fmt.Errorf("there are %d cells", len(saved))
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			time.Sleep(rand.N(time.Second)) // somewhere between two saves
			crash(t, first, file)
			var saved []string
			if err := poll.Until(t.Context(), "what was saved", func(context.Context) (err error) {
				saved, err = readSources(file)
				return err
			}); err != nil {
				t.Fatalf("the killed server has left half a file: %v", err)
			}
			before := lg.snapshot()
			l.lead(second)
			if err := poll.Until(t.Context(), "edits to be made again", func(context.Context) error {
				if n := len(lg.snapshot()); n < len(before)+5 {
					return fmt.Errorf("%d edits are made, of them %d before: %v", n, len(before), lg)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			close(stop)
			for range docs {
				<-stopped
			}
			// Confirmed by the first server and not in its last save, so it may have lost them.
			atRisk := lg.demote(before, saved)
			// The same applies to edits that the second server confirmed before it read the file again; the agent is
			// informed of them too.
			told := make([]string, len(docs))
			for i, d := range docs {
				if err := d.Settled(t.Context()); err != nil {
					t.Error(err)
				}
				told[i] = d.Overwritten()
			}
			_, now := cells(docs[0].Notebook())
			for i := range docs {
				if told[i] != "" {
					lg.demote(slices.DeleteFunc(lg.snapshot(), func(s string) bool { return !strings.HasPrefix(s, fmt.Sprint("k", i, "-")) }), now)
				}
			}
			settles(t, second, path, lg, docs...)
			_, sources := cells(docs[0].Notebook())
			for _, s := range lg.notMade {
				if slices.Contains(sources, s) {
					t.Errorf("%q was answered as not made, and is there", s)
				}
			}
			// A client whose confirmed edit was lost is informed.
			for i, d := range docs {
				gone := slices.DeleteFunc(slices.Clone(before), func(s string) bool {
					return !strings.HasPrefix(s, fmt.Sprint("k", i, "-")) || slices.Contains(sources, s)
				})
				if told := told[i] + d.Overwritten(); len(gone) > 0 && told == "" {
					t.Errorf("agent %d is not told that %q are lost", i, gone)
				} else {
					t.Logf("agent %d lost %q, and is told: %q", i, gone, told)
				}
			}
			t.Logf("%v; %d confirmed and not saved", lg, atRisk)
		})
	}
}

// snapshot returns the edits that were answered as done so far.
func (l *ledger) snapshot() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.made)
}

// demote moves edits in made but not in saved to the unsure ones.
func (l *ledger) demote(made, saved []string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = slices.DeleteFunc(l.made, func(s string) bool {
		lost := slices.Contains(made, s) && !slices.Contains(saved, s)
		if lost {
			l.unsure = append(l.unsure, s)
			n++
		}
		return lost
	})
	return n
}

// A killed server takes its kernel with it. The kernel's run ends with an answer that says so; the cell does not stay
// busy, even if the next server knows the mark from the rooms' history; and the cell runs on that server.
func TestServerKilledWhileRunning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agents  int
		history bool
	}{
		"one agent":               {1, false},
		"two agents":              {2, false},
		"one agent, with history": {1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agents := c.agents
			first, second := pair(t, c.history)
			path := first.Notebook(t, "import time\nfor i in range(30000):\n    print('line', i, flush=True)\n    time.sleep(0.01)", "print('ready')")
			file := filepath.Join(first.Root, path)
			l := newLine(t, first)
			var docs []*session.Document
			for range agents {
				docs = append(docs, newAgent(t, l.url(), first.Token).open(path))
			}
			lg := &ledger{}
			lg.insert(t.Context(), docs[agents-1], 2, "before")
			// Each output line cancels a save: on a slow machine the first save may come after the last line.
			if err := poll.Until(t.Context(), "the edit to be on disk", func(context.Context) error { return fileHolds(file, lg.made) }); err != nil {
				t.Fatal(err)
			}
			runs, err := docs[0].Run(t.Context(), []string{"c0", "c1"})
			if err != nil {
				t.Fatal(err)
			}
			seen := docs[agents-1]
			if err := poll.Until(t.Context(), "output", func(context.Context) error {
				if c, _ := seen.Notebook().Cell("c0"); !strings.Contains(text(c.Outputs), "line 50\n") {
					return fmt.Errorf("the cell has %q", text(c.Outputs))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			crash(t, first, file)
			l.lead(second)
			ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
			defer stop()
			for i, r := range runs {
				if err := r.Wait(ctx); err != nil {
					t.Fatalf("run %d does not end: %v; it is %+v", i, err, r.Result())
				}
			}
			r := runs[0].Result()
			test.Eq(t, run.Lost, r.State)
			test.Error(t, r.Err)
			if r := runs[1].Result(); r.State != run.Cancelled || r.Err == nil {
				t.Errorf("the run behind it is %s, %v; want it cancelled, and why", r.State, r.Err)
			}
			for i, d := range docs {
				if err := poll.Until(t.Context(), "the cell not to be busy", func(context.Context) error {
					if err := d.Settled(t.Context()); err != nil {
						return err
					}
					for _, id := range []string{"c0", "c1"} {
						if c, ok := d.Notebook().Cell(id); !ok || c.ExecutionState != "idle" {
							return fmt.Errorf("agent %d sees cell %s as %q", i, id, c.ExecutionState)
						}
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
			again, err := docs[0].Run(t.Context(), []string{"c1"})
			if err != nil {
				t.Fatal(err)
			}
			if err := again[0].Wait(ctx); err != nil {
				t.Fatal(err)
			}
			if r := again[0].Result(); r.State != run.Done || text(r.Outputs) != "ready\n" {
				t.Errorf("the run on the new server is %s, %v, with %q", r.State, r.Err, text(r.Outputs))
			}
			settles(t, second, path, lg, docs...)
			t.Logf("answer: %v; the next one: %q", r.Err, again[0].Result().Note)
		})
	}
}
