package tools_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// restored makes a person delete the second cell and undo that, with meanwhile between: the same cell is then another
// object.
func (p *positions) restored(meanwhile func()) {
	p.T.Helper()
	ada := sessiontest.PersonIn(p.T, p.Srv, p.path)
	defer ada.Leave()
	c, _ := ada.Notebook.Cell("c1")
	at, _ := ada.Notebook.Index("c1")
	edits := func(fn func(e *ydoc.Editor) error) {
		p.T.Helper()
		if err := ada.Notebook.Edit("undo", fn); err != nil {
			p.T.Fatal(err)
		}
		sessiontest.Eventually(p.T, "the room has it", func() bool {
			_, cells := p.Room(p.path)
			return len(cells) == ada.Notebook.Len()
		})
	}
	edits(func(e *ydoc.Editor) error { return e.Delete("c1") })
	meanwhile()
	edits(func(e *ydoc.Editor) error {
		_, err := e.Insert(at, ydoc.NewCell{ID: "c1", Type: ydoc.Code, Source: c.Source})
		return err
	})
}

// A cell that was deleted and restored by undo is the cell that the client has read, by its id and by its index.
func TestUndoneDeletion(t *testing.T) {
	for name, c := range map[string]struct {
		typed     bool // before the deletion
		meanwhile bool // the client calls while the cell is deleted
		typedThen bool // after it was restored
	}{
		"as it was read":        {},
		"typed before":          {typed: true},
		"called meanwhile":      {meanwhile: true},
		"typed after":           {typedThen: true},
		"typed, called, typed":  {true, true, true},
		"typed before and then": {typed: true, typedThen: true},
	} {
		for way, where := range map[string]toolstest.Dict{"id": {"id": "c1"}, "index": {"start": 1}} {
			t.Run(name+"/by "+way, func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := newFourLines(toolstest.New(t))
					mine := strings.Replace(fourLines, "4", "44", 1)
					set := toolstest.Dict{"exec": false, "wait": 0, "modifications": []toolstest.Dict{{"range": where, "content": mine}}}
					want := mine
					if c.typed {
						p.puts("1", "1 # typed")
						want = strings.Replace(want, "1", "1 # typed", 1)
					}
					p.restored(func() {
						if !c.meanwhile {
							return
						}
						if text, failed := p.call("modify_nb_cells", set); !failed {
							t.Errorf("while it is not there: %s", text)
						}
						if all, _ := p.sources(); all != "a = 1 c = 3" {
							t.Errorf("while it is not there: the cells are %q", all)
						}
					})
					if c.typedThen {
						p.puts("2", "2 # then")
						want = strings.Replace(want, "2", "2 # then", 1)
					}
					text, failed := p.call("modify_nb_cells", set)
					if failed { // an index of the last answer, which did not have the cell
						test.True(t, c.meanwhile, test.Sprint(text))
						test.NotEq(t, "id", way, test.Sprint(text))
						set["modifications"].([]toolstest.Dict)[0]["range"] = toolstest.Dict{"id": "c1"}
						text, failed = p.call("modify_nb_cells", set)
					}
					if failed {
						t.Error(text)
					}
					p.is(want, name)
					if all, _ := p.sources(); all != "a = 1 "+want+" c = 3" {
						t.Errorf("the cells are %q", all)
					}
				})
			})
		}
		t.Run(name+"/deleted", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				p := newFourLines(toolstest.New(t))
				if c.typed {
					p.puts("1", "1 # typed")
				}
				p.restored(func() {})
				if c.typedThen {
					p.puts("2", "2 # then")
				}
				text, failed := p.call("delete_nb_cells", toolstest.Dict{"wait": 0, "ranges": []toolstest.Dict{{"start": 1}}})
				test.Eq(t, c.typed || c.typedThen, failed, test.Sprint(text))
				test.Eq(t, p.cell("c1") != "", failed, test.Sprint(text))
			})
		})
	}
}
