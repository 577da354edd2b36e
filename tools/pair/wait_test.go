package pair_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// late reports whether something took too long: with a real server, everything else takes time, too.
func late(took, most time.Duration) bool { return !jupytertest.Real() && took > most }

// A waiting call answers when a person has paused, with all that they typed, and does not answer for the agent's own edits.
func TestWaitForChange(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1", "b = 2")
		read := d.Read(d.path)
		ada := d.person("Ada")
		bob := d.person("Bob")
		text := func(p int, s string) func(e *ydoc.Editor) error {
			return func(e *ydoc.Editor) error { return e.SetSource(read.Cells[p].ID, s) }
		}
		d.Good("edit_text", toolstest.Dict{"path": d.path, "cell_id": read.Cells[1].ID, "old_text": "2", "new_text": "3"}, nil)
		typed := make(chan struct{})
		go func() {
			defer close(typed)
			for _, s := range []string{"a = 12", "a = 123", "a = 1234"} {
				time.Sleep(time.Second)
				if err := ada.Notebook.Edit("type", text(0, s)); err != nil {
					t.Error(err)
				}
			}
		}()
		began := time.Now()
		var out pair.ChangesResult
		d.Good("wait_for_change", toolstest.Dict{"path": d.path, "since": read.Revision}, &out)
		<-typed
		took := time.Since(began)
		test.GreaterEq(t, 4500*time.Millisecond, took)
		test.False(t, late(took-4500*time.Millisecond, 500*time.Millisecond))
		must.SliceLen(t, 1, out.Changes)
		test.Eq(t, "Ada", out.Changes[0].By)
		test.Eq(t, "-a = 1\n+a = 1234", out.Changes[0].Diff)
		// Changes that do not match.
		wait := func(args toolstest.Dict) (out pair.ChangesResult, took time.Duration) {
			began := time.Now()
			args = toolstest.With(toolstest.With(args, "path", d.path), "timeout", 20)
			d.Good("wait_for_change", toolstest.With(args, "since", read.Revision), &out)
			return out, time.Since(began)
		}
		for name, args := range map[string]toolstest.Dict{
			"outputs": {"filter": "outputs"}, "cell": {"cell": read.Cells[1].ID}, "person": {"person": "bo"},
		} {
			out, took := wait(args)
			must.SliceEmpty(t, out.Changes, must.Sprint(name))
			test.Eq(t, read.Revision, out.Revision, test.Sprint(name))
			test.GreaterEq(t, 20*time.Second, took, test.Sprint(name))
		}
		for name, args := range map[string]toolstest.Dict{
			"source": {"filter": "source"}, "cell": {"cell": read.Cells[0].ID}, "person": {"person": "ad"},
		} {
			out, took := wait(args)
			must.SliceLen(t, 1, out.Changes, must.Sprint(name))
			test.False(t, late(took, 0), test.Sprint(name))
		}
		d.types(bob, text(1, "b = 33"))
		out, _ = wait(toolstest.Dict{"person": "Bob"})
		must.SliceLen(t, 1, out.Changes)
		test.Eq(t, read.Cells[1].ID, out.Changes[0].CellID)
		d.types(ada, func(e *ydoc.Editor) error { return e.AppendStream(read.Cells[0].ID, "stdout", "x") })
		out, took = wait(toolstest.Dict{"filter": "outputs"})
		must.SliceLen(t, 1, out.Changes)
		test.StrContains(t, out.Changes[0].What, "run")
		test.False(t, late(took, 2*time.Second))
		if says := d.says("wait_for_change", toolstest.Dict{"since": d.since(read.Revision, true).Revision, "timeout": 3}); !strings.Contains(says, "no matching change in 3 s, revision ") {
			t.Error(says)
		}
	})
}

// A waiting call is answered in time for its host, at once if the revision is unknown, and refused if the person may be one
// of several.
func TestWaitEnds(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a = 1")
		read := d.Read(d.path)
		other := d.Read(d.Server.Notebook(t, "b")).Revision
		began := time.Now()
		var all notebook.ReadResult
		d.Good("wait_for_change", toolstest.Dict{"path": d.path, "since": other}, &all)
		must.SliceLen(t, 1, all.Cells)
		test.False(t, late(time.Since(began), 0))
		d.agent(tools.Config{AnswerWithin: 10 * time.Second})
		began = time.Now()
		says := d.says("wait_for_change", toolstest.Dict{"since": read.Revision})
		test.StrContains(t, says, "in 10 s")
		test.False(t, late(time.Since(began), 11*time.Second))
		d.person("Anna")
		d.types(d.person("Ann"), func(e *ydoc.Editor) error { return e.SetSource(read.Cells[0].ID, "a = 2") })
		d.Bad("wait_for_change", toolstest.Dict{"path": d.path, "since": read.Revision, "person": "an"}, `"Anna"`, `"Ann"`, "give more of the name")
		if says := d.says("wait_for_change", toolstest.Dict{"since": read.Revision, "person": "ann"}); !strings.Contains(says, "edited by Ann") {
			t.Error(says)
		}
	})
}

// A waiting call reports every few seconds that it waits, and that a person types, however many keys they hit.
func TestWaitTellsOfProgress(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a")
		read := d.Read(d.path)
		ada := d.person("Ada")
		var mu sync.Mutex
		var heard []string
		d.words.OnNotification(func(n mcp.JSONRPCNotification) {
			mu.Lock()
			defer mu.Unlock()
			if says, ok := n.Params.AdditionalFields["message"].(string); ok && n.Method == "notifications/progress" {
				heard = append(heard, says)
			}
		})
		typed := make(chan struct{})
		go func() {
			defer close(typed)
			time.Sleep(11 * time.Second)
			for n := range 20 {
				if err := ada.Notebook.Edit("type", func(e *ydoc.Editor) error {
					return e.SetSource(read.Cells[0].ID, "a"+strings.Repeat("x", n+1))
				}); err != nil {
					t.Error(err)
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = "wait_for_change", dict{"path": d.path, "since": read.Revision}
		req.Params.Meta = &mcp.Meta{ProgressToken: "wait"}
		res, err := d.words.CallTool(t.Context(), req)
		<-typed
		must.NoError(t, err)
		must.StrContains(t, toolstest.MessageOf(res), "edited by Ada")
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(heard, "; "); got != "nothing has changed yet; nothing has changed yet; something has changed, waiting for a pause" {
			t.Error(got)
		}
	})
}
