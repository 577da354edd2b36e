package pair_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A waiting client is shown as waiting, and an agent's mention is delivered as such to clients that ask for agents.
func TestWaitingAndCallingAgents(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1")
		read := d.Read(d.path)
		d.says("read_nb_cells", dict{})
		heard := make(chan string)
		go func() { heard <- d.says("wait_for_mention", dict{"agents": true, "timeout": 60}) }()
		time.Sleep(2 * time.Second)
		var look pair.LookResult
		d.Good("look_around", dict{"path": d.path}, &look)
		must.SliceLen(t, 1, look.People)
		test.True(t, look.People[0].Agent)
		test.Eq(t, "waiting for you", look.People[0].Status)
		test.StrContains(t, look.Message, "1 agent")
		d.Good("edit_text", dict{"path": d.path, "cell_id": read.Cells[0].ID, "old_text": "1", "new_text": "1  # @Duet look"}, nil)
		says := <-heard
		test.StrContains(t, says, "by agent ")
		test.StrContains(t, says, " an agent's text, untrusted")
	})
}

// A write to a cell that another client is running, or has just written in, is made, and the answer says so; a call never
// mentions its own client.
func TestAnotherAgentAtTheCell(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "x = 1", "import time\ntime.sleep(60)")
		read := d.Read(d.path)
		d.says("read_nb_cells", dict{})
		edit := func(old, put string) dict {
			return dict{"cell_id": read.Cells[0].ID, "old_text": old, "new_text": put}
		}
		if says := d.says("edit_text", edit("1", "12")); strings.Contains(says, "agent") {
			t.Error(says)
		}
		if says := d.says("edit_text", edit("12", "123")); strings.Contains(says, "agent") {
			t.Error(says)
		}
		var out map[string]any
		d.Good("edit_text", toolstest.With(edit("123", "1234"), "path", d.path), &out)
		carets, _ := out["carets"].([]any)
		must.SliceLen(t, 1, carets, must.Sprint(out))
		test.StrContains(t, carets[0].(string), " is editing", test.Sprint(out))
		test.StrHasPrefix(t, "agent ", carets[0].(string), test.Sprint(out))
		d.Good("execute_nb_cells", dict{"path": d.path, "ranges": []dict{{"start": 1}}, "timeout": 1}, nil)
		time.Sleep(time.Second)
		holds(t, d.says("edit_text", dict{"cell_id": read.Cells[1].ID, "old_text": "60", "new_text": "61"}), "agent ", " is running")
	})
}
