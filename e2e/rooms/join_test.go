package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

// setbacks is a log that counts how often a room had to start again.
type setbacks struct{ atomic.Int32 }

func (s *setbacks) Enabled(context.Context, slog.Level) bool { return true }
func (s *setbacks) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *setbacks) WithGroup(string) slog.Handler            { return s }

func (s *setbacks) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "again") || strings.Contains(r.Message, "rejoining") {
		s.Add(1)
	}
	return nil
}

// A notebook is joined on a bad line; if it cannot be joined with the faults on, it is joined once they are off.
func TestJoinOnABadLine(t *testing.T) {
	t.Parallel()
	s := jupytertest.Shared(t)
	big := strings.Repeat("# a line that is longer than it needs to be\n", 50)
	const count = 100 // 200 kB of it
	sources := make([]string, count)
	for i := range sources {
		sources[i] = big + fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		faults []fault
		again  int32 // number of setbacks, then the faults are off
	}{
		"reset at once":       {[]fault{{"reset", "reset_peer", "downstream", 1, map[string]any{"timeout": 0}}}, 3},
		"reset on the way":    {[]fault{{"reset", "reset_peer", "downstream", 1, map[string]any{"timeout": 30}}}, 3},
		"cut in the document": {[]fault{{"cut", "limit_data", "downstream", 1, map[string]any{"bytes": 50000}}}, 3},
		"mute":                {[]fault{{"mute", "timeout", "upstream", 1, map[string]any{"timeout": 0}}}, 1},
		"deaf":                {[]fault{{"deaf", "timeout", "downstream", 1, map[string]any{"timeout": 0}}}, 1},
		"slow":                {both("bandwidth", map[string]any{"rate": 50}), 0},
		"late":                {both("latency", map[string]any{"latency": 150}), 0},
		"sliced":              {both("slicer", map[string]any{"average_size": 200, "size_variation": 100, "delay": 10}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := s.Notebook(t, sources...)
			bad := newLine(t, s)
			srv, err := jupyter.New(jupyter.Options{URL: bad.url(), Token: s.Token})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(srv.CloseIdleConnections)
			again := &setbacks{}
			// Half of the limit is the expected wait for a hanging request; the other half is for a slow machine.
			patience := map[bool]time.Duration{true: 30 * time.Second, false: time.Minute}[c.again == 1]
			mend := bad.fail(c.faults)
			joined := make(chan error, 1)
			nb := ydoc.NewNotebook()
			var room *rtc.Room
			go func() {
				var err error
				room, err = rtc.Join(t.Context(), rtc.Config{
					Server: srv, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: nb.Doc, Logger: slog.New(again),
					Timing:    rtc.Timing{Join: patience, Silence: 3 * time.Second, Ping: time.Second, BackoffMin: 10 * time.Millisecond},
					IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
				})
				joined <- err
			}()
			if c.again > 0 {
				if err := poll.Until(t.Context(), "setbacks", func(context.Context) error {
					if n := again.Load(); n < c.again {
						return fmt.Errorf("%d of %d", n, c.again)
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
				mend()
			}
			if err := <-joined; err != nil {
				t.Fatal(err)
			}
			if c.again == 0 {
				mend()
			}
			l := &ledger{}
			if err := nb.Edit("edit", func(e *ydoc.Editor) error {
				_, err := e.Insert(count, ydoc.NewCell{Type: "code", Source: "after"})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if err := room.Barrier(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.made = append([]string{"after"}, sources...)
			newcomer := newPatient(t, s.URL, s.Token).open(path)
			want, _ := cells(newcomer.Notebook())
			got, texts := cells(nb)
			if err := errors.Join(same("the replica", got, want), l.check(texts)); err != nil {
				t.Error(err)
			}
			if err := room.Leave(t.Context()); err != nil {
				t.Error(err)
			}
			t.Logf("%d setbacks", again.Load())
		})
	}
}
