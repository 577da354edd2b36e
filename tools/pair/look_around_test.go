package pair_test

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestLookAround(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a", "bc\ndef", "g").asOne()
		look := func() (out pair.LookResult) {
			t.Helper()
			d.Good("look_around", dict{"path": d.path}, &out)
			return out
		}
		if out := look(); len(out.People) != 0 || out.KnownIn == nil || *out.KnownIn < 15 {
			t.Errorf("at first: %+v", out)
		}
		holds(t, d.says("look_around", nil), "not known yet whether anyone else is in "+d.path, "known in 18 s")
		ada := d.enters("ada", "Ada")
		ada.selects("c1", 1, 4)
		holds(t, d.says("look_around", nil), "1 person in "+d.path+"; there may be others")
		d.known(ada)
		ada.types("c2", "!")
		time.Sleep(3 * time.Second)
		out := look()
		must.SliceLen(t, 1, out.People)
		must.Nil(t, out.KnownIn)
		a := out.People[0]
		test.Eq(t, "Ada", a.Name)
		test.Eq(t, "c1", a.CellID)
		test.Eq(t, 1, *a.Index)
		test.EqOp(t, pair.Place{Line: 1, Column: 2}, *a.From)
		test.EqOp(t, pair.Place{Line: 2, Column: 2}, *a.To)
		test.Eq(t, "c\nd", a.Selected)
		must.NotNil(t, a.Typed)
		test.GreaterEq(t, 3, *a.Typed)
		test.LessEq(t, 4, *a.Typed)
		must.Nil(t, a.Moved)
		test.False(t, a.Agent)
		test.False(t, a.Unclear)
		holds(t, d.says("look_around", nil), "1 person in "+d.path+"\n@@1 c1 Ada, selects 1:2 to 2:2, typed 3 s ago\nc\nd")

		robot := d.enters("robot", "Robot")
		robot.shows(dict{"agent": "nbduet"})
		twin := d.enters("ada-2", "Ada")
		twin.shows(nil)
		twin.selects("c0", 0, 0)
		bob := d.enters("bob", "Bob")
		bob.shows(dict{"activeCellId": "c2"})
		says := d.says("look_around", nil)
		holds(t, says, "3 people and 1 agent in", "@@1 c1 Ada (ada), ", "@@0 c0 Ada (ada-2), line 1 column 1, moved", "@@2 c2 Bob, on the cell, without a caret", "@@ agent Robot, in no cell")
		two := d.enters("bob", "Bob")
		two.shows(nil)
		two.selects("c0", 1, 1)
		time.Sleep(time.Second)
		holds(t, d.says("look_around", nil), "3 people", "Bob, line 1 column 2", "@@2 c2 another tab of Bob")
		var raw map[string]any
		toolstest.Decode(t, d.Call("look_around", dict{"path": d.path}), &raw)
		b, err := json.Marshal(raw)
		must.NoError(t, err, must.Sprint(b))
		test.SliceLen(t, 4, raw["people"].([]any), test.Sprint(b))
	})
}

func TestNobody(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a").asOne()
		holds(t, d.asks("look_around", nil), "no notebook is open here: give a path")
		d.says("look_around", nil)
		d.known()
		holds(t, d.says("look_around", nil), "no one else is in "+d.path)
		holds(t, d.asks("look_around", nil), "no one else is viewing a notebook that is open here")
		d.Bad("look_around", dict{"path": "none.ipynb"}, "no notebook")
	})
}

// Without a path it lists the people who have one of our notebooks in front.
func TestLookAroundEverywhere(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a", "b").asOne()
		other := d.Server.Notebook(t, "x")
		ada := d.enters("ada", "Ada")
		ada.selects("c1", 0, 0)
		d.says("look_around", nil)
		d.says("look_around", dict{"path": other})
		holds(t, d.asks("look_around", nil), "not known yet")
		d.known(ada)
		d.inLobby("ada", "Ada", "notebook:"+d.path)
		d.inLobby("bob", "Bob", "notebook:RTC:"+other)
		d.inLobby("carl", "Carl", "notebook:else.ipynb")
		d.inLobby("carl-2", "Carl", "")
		ada.shows(nil)
		says := d.asks("look_around", nil)
		holds(t, says, "2 people\n", "@@1 c1 Ada, in "+d.path+", line 1 column 1", "@@ Bob, in "+other+", in no cell")
		holds(t, says, "Carl (carl) has else.ipynb in front", "Carl (carl-2) has no document in front")
		d.inLobby("ada", "Ada", "notebook:else.ipynb") // a second tab
		holds(t, d.says("look_around", nil), "1 person in "+d.path, "Ada, has "+d.path+" and else.ipynb in front, line 1")
	})
}

// inLobby makes a person announce in the global awareness which document they have in front.
func (d *duo) inLobby(username, name, current string) {
	d.t.Helper()
	settle() // a tab announces itself every 15 s, this one once: the observer must be present by then
	ws, err := d.Srv.Rooms.Dial(d.t.Context(), "JupyterLab:globalAwareness", "")
	if err != nil {
		d.t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				return
			}
		}
	})
	d.t.Cleanup(func() {
		_ = ws.Close()
		reading.Wait()
	})
	update, err := awareness.NewTable(rand.Uint64N(1 << 32)).SetLocal(dict{"user": dict{"username": username, "name": name, "display_name": name}, "current": current, "documents": []any{}})
	if err != nil {
		d.t.Fatal(err)
	}
	const binary = 2
	if err := ws.WriteMessage(binary, wire.AppendAwareness(nil, update)); err != nil {
		d.t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
}
