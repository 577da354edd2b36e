package reading_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/reading"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// caretAt shows Ada's caret in a cell.
func caretAt(t *testing.T, p *sessiontest.Person, cell string, offset int) {
	t.Helper()
	pos, err := p.Notebook.RelativePosition(cell, offset)
	if err != nil {
		t.Fatal(err)
	}
	p.Show(map[string]any{
		"user":    map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": "#888"},
		"cursors": []any{map[string]any{"anchor": pos, "head": pos, "primary": true, "empty": true}},
	})
}

// A cell in which somebody types is neither moved nor deleted, but when they rest, or by those who mean it.
func TestTypingIsNotDisturbed(t *testing.T) {
	for name, change := range map[string]func(ctx context.Context, d *session.Document, cell string, force bool) error{
		"delete": func(ctx context.Context, d *session.Document, cell string, force bool) error {
			return d.As("me").Delete(ctx, []reading.Target{{Cell: cell}}, force)
		},
		"move": func(ctx context.Context, d *session.Document, cell string, force bool) error {
			return d.As("me").Move(ctx, reading.Target{Cell: cell}, func(*ydoc.Editor) (int, error) { return 0, nil }, force)
		},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				m := sessiontest.Manager(t, s, session.Config{})
				path := s.Notebook(t, "a = 1", "b = 2", "c = 3", "d = 4")
				d := sessiontest.Open(t, m, path)
				d.As("me").Show(d.Notebook().Cells()...)
				p := sessiontest.PersonIn(t, m.Servers().Documents, path)
				types := func(cell string) {
					t.Helper()
					for i := range 4 {
						caretAt(t, p, cell, i)
						time.Sleep(200 * time.Millisecond)
					}
				}
				took := func(cell string, force bool) (time.Duration, error) {
					start := time.Now()
					err := change(t.Context(), d, cell, force)
					return time.Since(start), err
				}
				types("c1")
				if after, err := took("c1", false); err != nil || after < time.Second || after > 2*time.Second {
					t.Errorf("when they rest: after %v, %v", after, err)
				}
				types("c2")
				stop, stopped := make(chan bool), make(chan bool)
				go func() {
					defer close(stopped)
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						case <-time.After(500 * time.Millisecond):
							caretAt(t, p, "c2", i%4)
						}
					}
				}()
				var typing *reading.TypingError
				if after, err := took("c2", false); !errors.As(err, &typing) || after < 3*time.Second || after > 4*time.Second {
					t.Errorf("while they type: after %v, %v", after, err)
				}
				if after, err := took("c3", false); err != nil || after > time.Second {
					t.Errorf("another cell: after %v, %v", after, err)
				}
				if after, err := took("c2", true); err != nil || after > time.Second {
					t.Errorf("by force: after %v, %v", after, err)
				}
				close(stop)
				<-stopped
			})
		})
	}
}
