package session

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// A server that ends before it has saved loses confirmed edits. That is reported once, and only if the document that comes
// back lacks some content.
func TestEditsThatTheServerForgotAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		saved bool // the server has all of it
		told  bool
	}{
		"edits are missing":  {saved: false, told: true},
		"nothing is missing": {saved: true, told: false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFakeWorld(t, Config{})
				defer closeWorld(t, w)
				d := w.mustOpen(t, "a.ipynb")
				defer d.Release()
				if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
					_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if c.saved {
					state, err := d.Notebook().Diff(nil)
					if err != nil {
						t.Fatal(err)
					}
					join := w.join
					w.join = func(ctx context.Context, path jupyter.Path, k kind, tries int, heard func()) (*live, error) {
						lv, err := join(ctx, jupyter.MustPath(path.String()), k, tries, heard)
						if err != nil {
							return nil, err
						}
						return lv, lv.nb.Apply(state)
					}
				}
				w.room(0).End(&rtc.CloseError{Code: rtc.CodeSession, Action: rtc.Discard})
				synctest.Wait()
				if note := d.Overwritten(); (note != "") != c.told {
					t.Errorf("told %q, want a note: %v", note, c.told)
				}
				if note := d.Overwritten(); note != "" {
					t.Errorf("told again: %q", note)
				}
			})
		})
	}
}
