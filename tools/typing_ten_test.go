package tools_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// ofTen are calls that change, delete or move ten cells, and the resulting source of a cell with some keys typed at its end;
// "" if it is deleted.
var ofTen = map[string]struct {
	args    func() toolstest.Dict
	becomes func(source string) string
	// waits means that the call succeeds once the person pauses; otherwise it is refused then, because the client has not
	// read the typed text.
	waits bool
}{
	"modify_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0, "end": 10}, "content": "x = 2\n# end"}}}
	}, func(source string) string { return strings.Replace(source, "x = 1", "x = 2", 1) }, true},
	"overwrite_document": {func() toolstest.Dict {
		var cells []string
		for i := range 10 {
			cells = append(cells, fmt.Sprintf("c%d:x = 2\n# end", i))
		}
		return toolstest.Dict{"content": toolstest.Book(cells...)}
	}, func(source string) string { return strings.Replace(source, "x = 1", "x = 2", 1) }, true},
	"delete_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0, "end": 10}}}
	}, func(string) string { return "" }, false},
	"move_nb_cells": {func() toolstest.Dict {
		return toolstest.Dict{"ranges": []toolstest.Dict{{"start": 0, "end": 10}}, "position": 11}
	}, func(source string) string { return source }, true},
}

// While a person types in one cell, a call for ten changes none of them; with force it changes all, and keeps the keys.
func TestTypingInOneOfTen(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(ofTen)) {
		c := ofTen[tool]
		for _, manners := range []toolstest.Dict{{"wait": 0}, {}, {"force": true}} {
			t.Run(fmt.Sprint(tool, manners), func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					r := toolstest.New(t)
					const was = "x = 1\n# end"
					p := &positions{Rig: r, path: r.Server.Notebook(t, append(slices.Repeat([]string{was}, 10), "behind")...)}
					tab := p.ada()
					p.Read(p.path)
					args := c.args()
					if tool == "overwrite_document" {
						args["content"] = strings.Replace(args["content"].(string), "\n]}", "]}", 1)
						args["content"] = strings.TrimSuffix(args["content"].(string), "]}") + `,{"id":"c10","cell_type":"code","source":"behind","metadata":{},"outputs":[],"execution_count":null}]}`
					}
					maps.Copy(args, manners)
					typed := was
					p.sets(tab, "c4", typed+"k")
					typed += "k"
					var wg sync.WaitGroup
					wg.Go(func() {
						for range 5 {
							time.Sleep(300 * time.Millisecond)
							if err := tab.Notebook.Edit("type", func(e *ydoc.Editor) error {
								c, ok := e.Cell("c4")
								if !ok {
									return nil
								}
								return e.SetSource("c4", c.Source+"k")
							}); err != nil {
								t.Error(err)
							}
						}
						_, cells := p.Room(p.path)
						if manners["force"] != nil || manners["wait"] != nil {
							return
						}
						for i, cell := range cells[:10] {
							if i != 4 && cell.Source != was || cell.ID != fmt.Sprint("c", i) {
								t.Errorf("cell %d is %s, %q while the call waits", i, cell.ID, cell.Source)
							}
						}
					})
					text, failed := p.call(tool, args)
					if says := editguard.CodeBusy; manners["wait"] != nil && !strings.Contains(text, says) && c.waits {
						t.Errorf("answered %s, want %q", text, says)
					}
					wg.Wait()
					typed += "kkkkk"
					forced := manners["force"] != nil
					done := forced || manners["wait"] == nil && c.waits
					if failed == done {
						t.Errorf("answered %s", text)
					}
					time.Sleep(time.Second)
					_, cells := p.Room(p.path)
					by := map[string]string{}
					for _, cell := range cells {
						by[cell.ID] = cell.Source
					}
					for i := range 10 {
						id, want := fmt.Sprint("c", i), was
						if i == 4 {
							want = typed
						}
						if done {
							want = c.becomes(want)
						}
						if by[id] != want {
							t.Errorf("%s is %q, want %q", id, by[id], want)
						}
					}
					must.SliceLen(t, len(by), cells)
					test.Eq(t, "behind", by["c10"])
				})
			})
		}
	}
}
