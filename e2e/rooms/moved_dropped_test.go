package rooms_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

// A key that reaches the server after the move of its cell is in no later message of the server, so no client can add it
// to the copy: the server keeps only its length, since a move deletes the parent (Yjs, Item.integrate and GC; pycrdt
// likewise). The same peer's keys before and after it arrive.
func TestALateKeyIsInNoFrame(t *testing.T) {
	s := jupytertest.Start(t)
	slow := newLine(t, s)
	slow.fail([]fault{{"late", "latency", "upstream", 1, map[string]any{"latency": 1000}}})
	for name, f := range map[string]*foreign{"pycrdt": process(t, pycrdt), "yjs": process(t, yjs)} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			x := &scene{t: t, s: s, reader: newAgentWith(t, s.URL, s.Token, brisk)}
			p := &act{scene: x, book: newBook(), begun: time.Now(), path: s.Notebook(t, "x = 1", "y = 2")}
			seen, leave, err := x.join(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			d, err := x.reader.Open(ctx, jupyter.MustPath(p.path))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Release()
			person := &foreignPeer{f: f, name: "late"}
			if err := person.open(ctx, &jupytertest.Server{URL: slow.url(), Token: s.Token}, x.reader, d); err != nil {
				t.Fatal(err)
			}
			press := func(cell int, key string, settle bool) {
				t.Helper()
				if _, err := person.do(ctx, map[string]any{"do": "text", "cell": cell, "at": 0, "del": 0, "ins": key, "flush": settle}); err != nil {
					t.Fatal(err)
				}
			}
			press(0, "先", true)
			press(0, "迟", false)
			if err := d.Notebook().Edit("move", func(e *ydoc.Editor) error { return e.Move("c0", 1) }); err != nil {
				t.Fatal(err)
			}
			if err := d.Settled(ctx); err != nil {
				t.Fatal(err)
			}
			if err := person.flush(ctx); err != nil {
				t.Fatal(err)
			}
			press(1, "后", true)
			if err := seen.room.Barrier(ctx); err != nil {
				t.Fatal(err)
			}
			seen.mu.Lock()
			passed := strings.Join(seen.all, "\n")
			seen.mu.Unlock()
			for key, there := range map[string]bool{"先": true, "迟": false, "后": true} {
				if strings.Contains(passed, hex.EncodeToString([]byte(key))) != there {
					t.Errorf("%s is in a frame: %t, want %t\n%s", key, !there, there, passed)
				}
			}
			fresh := ydoc.NewNotebook()
			room, err := x.enter(ctx, p.path, fresh)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = room.Leave(ctx) }()
			got := fmt.Sprint(fresh.Cells())
			test.StrContains(t, got, "先")
			test.StrNotContains(t, got, "迟")
			test.StrContains(t, got, "后")
			if _, err := person.do(ctx, map[string]any{"do": "close"}); err != nil {
				t.Error(err)
			}
		})
	}
}
