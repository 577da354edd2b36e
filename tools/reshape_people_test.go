package tools_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Whatever a client splits, merges, retypes, moves and undoes beside two people who type, each character is there
// once. NBDUET_RESHAPE_SEEDS=n sets the number of random programs, and NBDUET_RESHAPE_SEED the first.
func TestReshapingBesidePeople(t *testing.T) {
	const atOnce = 10
	programs := 20
	if jupytertest.Real() { // where calls wait in real time
		programs = 4
	}
	first, count := number(t, "NBDUET_RESHAPE_SEED", 0), number(t, "NBDUET_RESHAPE_SEEDS", programs)
	for from := first; from < first+count; from += atOnce {
		t.Run(strconv.Itoa(from), func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for seed := from; seed < min(from+atOnce, first+count) && !t.Failed(); seed++ {
					newCareless(r, uint64(seed)).reshapes()
				}
			})
		})
	}
}

// reshapes runs one program of changes of the cells' shapes, and checks that no character is lost.
func (c *careless) reshapes() {
	c.honest = true // a server drops keys typed into a text that it has deleted, so calls must wait for people who type
	defer c.tellsSeed("NBDUET_RESHAPE")
	c.besideTwo(func() {
		if jupytertest.Real() {
			time.Sleep(time.Second)
		}
		for range 12 {
			time.Sleep(time.Duration(c.rng.IntN(100)) * time.Millisecond)
			name, args := c.reshape()
			if name == "" {
				continue
			}
			if jupytertest.Real() {
				args["wait"] = c.rng.IntN(2)
			}
			answer := toolstest.MessageOf(c.Call(name, args))
			c.log = append(c.log, fmt.Sprintf("%s %v: %.200s", name, args, answer))
		}
	}, func() { c.counts() })
}

// reshape returns a call that changes the shape of a cell, or undoes one; "" for none.
func (c *careless) reshape() (name string, args toolstest.Dict) {
	cells := c.Read(c.path).Cells
	if len(cells) == 0 {
		c.T.Errorf("seed %d: the notebook is empty", c.seed)
		return "", nil
	}
	i := c.rng.IntN(len(cells))
	lines := strings.Count(cells[i].Source, "\n") + 1
	this := toolstest.Dict{"id": cells[i].ID}
	kinds := []string{"code", "markdown", "raw"}
	mod := toolstest.Dict{"range": this}
	switch kind := c.rng.IntN(6); {
	case kind == 0 && lines > 1:
		mod["split_at"] = []int{2 + c.rng.IntN(lines-1)}
	case kind == 1 && i+1 < len(cells):
		mod["range"], mod["merge"] = toolstest.Dict{"start": i, "end": i + 2}, true
		if cells[i].CellType != cells[i+1].CellType {
			mod["type"] = kinds[c.rng.IntN(3)]
		}
	case kind == 2:
		mod["type"] = kinds[c.rng.IntN(3)]
	case kind == 3:
		mod["position"] = c.rng.IntN(len(cells) + 1)
	case kind == 4:
		return "undo_agent", toolstest.Dict{"path": c.path}
	default:
		return "", nil
	}
	args = toolstest.Dict{"path": c.path, "exec": false, "modifications": []toolstest.Dict{mod}}
	if c.rng.IntN(4) == 0 {
		args["wait"] = 0
	}
	return "modify_nb_cells", args
}

// A cell in which a person types is not merged, split, retyped or moved until they pause; then no key is lost.
func TestReshapingACellWithTyping(t *testing.T) {
	for name, mod := range map[string]toolstest.Dict{
		"merge": {"range": toolstest.Dict{"start": 0, "end": 2}, "merge": true},
		"type":  {"range": toolstest.Dict{"start": 1}, "type": "raw"},
		"move":  {"range": toolstest.Dict{"start": 1}, "position": 0},
		"split": {"range": toolstest.Dict{"start": 1}, "split_at": []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				p := &positions{Rig: r, path: r.Server.Notebook(t, "a", "b\nc")}
				tab := p.ada()
				p.Read(p.path)
				p.sets(tab, "c1", "b\nck")
				p.Read(p.path)
				args := toolstest.Dict{"path": p.path, "exec": false, "wait": 0, "modifications": []toolstest.Dict{mod}}
				r.Bad("modify_nb_cells", args, "busy_human")
				test.Eq(t, []string{"a", "b\nck"}, r.Sources(p.path))
				r.Good("modify_nb_cells", toolstest.With(args, "wait", 60), nil)
				test.StrContains(t, strings.Join(r.Sources(p.path), "\n"), "ck")
				r.Good("undo_agent", toolstest.Dict{"path": p.path}, nil)
				test.Eq(t, []string{"a", "b\nck"}, r.Sources(p.path))
			})
		})
	}
}
