package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// BenchmarkCaretLine measures the cost of the line about people per call: one cell of two notebooks of 200 is read
// alternately; in one, three people have their carets in that cell, in the other they do not. It reports the medians and the
// median of the differences of the pairs, in microseconds.
func BenchmarkCaretLine(b *testing.B) {
	s := jupytertest.Shared(b)
	srv, c := benchClient(b, s)
	sources := make([]string, 200)
	for i := range sources {
		sources[i] = fmt.Sprintf("x%d = %d\nprint(x%d)", i, i, i)
	}
	alone, together := s.Notebook(b, sources...), s.Notebook(b, sources...)
	read := func(path string) (text string, took time.Duration) {
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = "read_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"id": "c100"}}}
		start := time.Now()
		res, err := c.CallTool(b.Context(), req)
		took = time.Since(start)
		must.NoError(b, err)
		must.False(b, res.IsError)
		return toolstest.MessageOf(res), took
	}
	read(alone)
	read(together)
	for i := range 3 {
		sess, err := srv.Rooms.Session(b.Context(), jupyter.MustPath(together), "json", "notebook")
		if err != nil {
			b.Fatal(err)
		}
		ws, err := srv.Rooms.Dial(b.Context(), sess.RoomID(), sess.SessionID)
		if err != nil {
			b.Fatal(err)
		}
		defer ws.Close()
		nb := ydoc.NewNotebook()
		if err := ws.WriteMessage(2, wire.AppendSyncStep1(nil, []byte{0})); err != nil {
			b.Fatal(err)
		}
		for nb.Len() == 0 {
			_, frame, err := ws.ReadMessage()
			if err != nil {
				b.Fatal(err)
			}
			if f, err := wire.ParseFrame(frame, wire.DefaultLimits); err == nil && (f.Kind == wire.SyncStep2 || f.Kind == wire.Update) {
				if err := nb.Apply(f.Payload); err != nil {
					b.Fatal(err)
				}
			}
		}
		pos, err := nb.RelativePosition("c100", 3)
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("Person %d", i)
		update, err := awareness.NewTable(nb.ClientID()).SetLocal(toolstest.Dict{
			"user":    toolstest.Dict{"username": name, "name": name, "display_name": name},
			"cursors": []any{toolstest.Dict{"anchor": pos, "head": pos, "primary": true, "empty": true}},
		})
		if err != nil {
			b.Fatal(err)
		}
		if err := ws.WriteMessage(2, wire.AppendAwareness(nil, update)); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(time.Second)
	if text, _ := read(together); !strings.Contains(text, "Person 2 is in 100 c100") {
		b.Fatalf("nobody is named: %s", text)
	}
	var with, without, added []time.Duration
	for b.Loop() {
		_, x := read(alone)
		_, y := read(together)
		with, without, added = append(with, y), append(without, x), append(added, y-x)
	}
	for _, list := range [][]time.Duration{with, without, added} {
		slices.Sort(list)
	}
	for unit, list := range map[string][]time.Duration{"with-µs": with, "without-µs": without, "added-µs": added} {
		b.ReportMetric(float64(list[len(list)/2].Nanoseconds())/1000, unit)
	}
}
