package tab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// A notebook is emptied or doubled beside a person by a client without a name. The chat says that the agent has stopped, the
// agent is refused edits, and after the restoration the tab shows the notebook of before.
func TestRestoredBesideAPerson(t *testing.T) {
	for _, name := range []string{"emptied", "doubled"} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			sources := []string{"# Sums", "a = 1", "b = 2", "c = 3", "print(6 * 7)", "d = 4"}
			k := newTalk(t, "talk.chat", kit.Markdown(sources[0]), kit.Code(sources[1]), kit.Code(sources[2]), kit.Code(sources[3]), kit.Code(sources[5]))
			var err error
			k.chat, err = k.tab.OpenSideChat(ctx, k.path)
			must.NoError(t, err)
			k.waits(k.path)
			k.offered()
			must.NoError(t, k.chat.Clear(ctx))
			_, err = k.claude.Do(ctx, "insert_nb_cells", kit.Insert(talkedOf, 4, true, sources[4]), nil)
			must.NoError(t, err)
			must.NoError(t, poll.Until(ctx, "the output in the file", func(context.Context) error {
				b, err := os.ReadFile(k.lab.Path(talkedOf))
				if err == nil && !strings.Contains(string(b), `"42\n"`) {
					err = errors.New("it has none")
				}
				return err
			}))
			k.tab.shows("the cells", sources...)

			s, err := jupyter.New(jupyter.Options{URL: k.lab.URL, Token: k.lab.Token})
			must.NoError(t, err)
			t.Cleanup(s.CloseIdleConnections)
			nb := ydoc.NewNotebook()
			if name == "doubled" { // with another history, from which it has the same cells
				must.NoError(t, nb.Edit("load", func(e *ydoc.Editor) error {
					var cells []ydoc.NewCell
					for _, c := range kit.ReadCells(t, k.claude, talkedOf) {
						cells = append(cells, ydoc.NewCell{ID: c.ID, Type: ydoc.Code, Source: c.Source})
					}
					_, err := e.Insert(0, cells...)
					return err
				}))
			}
			room, err := rtc.Join(ctx, rtc.Config{Server: s, Path: jupyter.MustPath(talkedOf), Format: "json", Type: "notebook", Replica: nb.Doc})
			must.NoError(t, err)
			if name == "emptied" {
				must.NoError(t, nb.Edit("clear", func(e *ydoc.Editor) error {
					for e.Len() > 0 {
						id, _ := e.IDAt(0)
						if err := e.Delete(id); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			must.NoError(t, room.Barrier(ctx))
			k.shows("that it has stopped", func(last browser.ChatMessage, _ string) bool {
				return strings.HasPrefix(last.Text, "I have stopped in "+talkedOf)
			})
			k.tab.Shoot("stopped")
			answer, err := k.claude.Call(ctx, "insert_nb_cells", kit.Insert(talkedOf, 0, false, "e = 5"))
			must.NoError(t, err)
			test.True(t, answer.IsError)
			test.StrHasPrefix(t, "notebook_suspect", answer.Text)
			_, err = k.claude.Do(ctx, "restore_notebook", map[string]any{"path": talkedOf, "revision": "before"}, nil)
			must.NoError(t, err)
			k.tab.shows("the restored cells", sources...)
			must.NoError(t, k.tab.WaitView(ctx, "the output", func(cells []browser.ViewCell) error {
				// Deleted cells get the outputs that the file still has; here the server has saved the empty notebook.
				if name == "doubled" && (len(cells[4].Outputs) != 1 || strings.TrimSpace(cells[4].Outputs[0].Text) != "42") {
					return fmt.Errorf("%+v", cells)
				}
				return nil
			}))
			if refused := k.edit("cell-1", "1", "2"); refused != "" {
				t.Error(refused)
			}
			k.tab.Shoot("restored")
			leaving, stop := context.WithTimeout(ctx, 10*time.Second)
			defer stop()
			must.NoError(t, room.Leave(leaving))
		})
	}
}
