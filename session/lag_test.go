package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// types enters text into a cell as a person, a key each interval, until the context ends.
func types(ctx context.Context, t *testing.T, p *sessiontest.Person, cell string, each time.Duration) {
	for ctx.Err() == nil {
		if err := p.Notebook.Edit("type", func(e *ydoc.Editor) error {
			c, _ := e.Cell(cell)
			return e.SetSource(cell, c.Source+"x")
		}); err != nil {
			t.Errorf("type: %v", err)
			return
		}
		select {
		case <-time.After(each):
		case <-ctx.Done():
		}
	}
}

// lags runs a cell that prints all the time while a person types, makes edits as an agent, and measures how long each
// confirmed edit takes to be in the file; the times are sorted. idle is the time without other activity. more is how many
// other cells the notebook has.
func lags(t *testing.T, s *jupytertest.Server, typing time.Duration, more, edits int) (all []time.Duration, idle time.Duration) {
	m := sessiontest.Manager(t, s, session.Config{})
	sources := []string{"import time\nfor i in range(100000):\n    print(i)\n    time.sleep(0.02)", "notes = 1", "agent = 1"}
	for range more {
		sources = append(sources, strings.Repeat("some = 'text of a cell'\n", 200))
	}
	path := s.Notebook(t, sources...)
	d := sessiontest.Open(t, m, path)
	p := sessiontest.PersonIn(t, m.Servers().Documents, path)
	lag := func(mark string) time.Duration {
		if err := d.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c2", mark) }); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for !sessiontest.FileHas(s, path, mark) && time.Since(start) < time.Minute {
			time.Sleep(10 * time.Millisecond)
		}
		return time.Since(start)
	}
	idle = lag("agent = 'alone'")
	runs, err := d.Run(t.Context(), []string{"c0"})
	if err != nil {
		t.Fatal(err)
	}
	sessiontest.Eventually(t, "the cell prints", func() bool {
		c, _ := d.Notebook().Cell("c0")
		return len(c.Outputs) > 0
	})
	person, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { types(person, t, p, "c1", typing) })
	for i := range edits {
		all = append(all, lag(fmt.Sprintf("agent = %d00%d", i, i)))
		time.Sleep(time.Duration(i) * 130 * time.Millisecond)
	}
	stop()
	wg.Wait()
	for _, r := range runs {
		if err := r.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(all)
	return all, idle
}

// maxLag is how long a confirmed edit may take to be in the file. The server saves by itself a second after the last
// edit, which here never comes.
const maxLag = 2 * time.Second

// While a cell prints and a person types, a confirmed edit is in the file within two seconds. Each edit by any client
// interrupts a save that has begun, as long as the server reads the document.
func TestConfirmedEditsReachTheFile(t *testing.T) {
	for name, c := range map[string]struct{ read, write, typing time.Duration }{
		"at once":                  {0, 0, 120 * time.Millisecond},
		"of a small notebook":      {30 * time.Millisecond, 50 * time.Millisecond, 120 * time.Millisecond},
		"of a large notebook":      {100 * time.Millisecond, 300 * time.Millisecond, 120 * time.Millisecond},
		"of one that is read long": {300 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Start(t)
				s.Fake.Rooms.SlowRead(c.read)
				s.Fake.Rooms.SlowSave(c.write)
				all, _ := lags(t, s, c.typing, 0, 20)
				if all[len(all)-1] > maxLag {
					t.Errorf("%d edits were in the file after %v, want %v at most", len(all), all, maxLag)
				}
			})
		})
	}
}

// The same against a real server too, which is as fast as its machine: three in four edits take at most three times as long
// as in a room without other activity.
func TestConfirmedEditsReachARealFile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		all, idle := lags(t, jupytertest.Start(t), 120*time.Millisecond, 60, 8)
		t.Logf("in the file after %v; %v when nothing else happens", all, idle)
		if all[len(all)*3/4] > 3*idle {
			t.Errorf("%d edits were in the file after %v, want %v for most", len(all), all, 3*idle)
		}
	})
}
