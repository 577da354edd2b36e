package notebook_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A call without a timeout answers before hosts give up, with the run's id; one with a timeout, or whose client receives
// progress, waits as long as before.
func TestAnswerWithin(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := toolstest.New(t)
		c := r.Hasty(50 * time.Second)
		took := func(name string, args toolstest.Dict, progress bool) (time.Duration, *mcp.CallToolResult) {
			t.Helper()
			var req mcp.CallToolRequest
			req.Params.Name, req.Params.Arguments = name, args
			if progress {
				req.Params.Meta = &mcp.Meta{ProgressToken: "p"}
			}
			began := time.Now()
			res, err := c.CallTool(t.Context(), req)
			must.NoError(t, err, must.Sprint(name))
			must.False(t, res.IsError, must.Sprint(name))
			return time.Since(began).Round(time.Second), res
		}
		for _, say := range []struct {
			timeout  int
			progress bool
			want     time.Duration
		}{
			{0, false, 50 * time.Second},
			{0, true, 300 * time.Second},
			{20, false, 20 * time.Second},
			{120, false, 120 * time.Second},
		} {
			gate := r.Server.Name(t, fmt.Sprintf(".gate%d%v", say.timeout, say.progress))
			path := r.Server.Notebook(t, toolstest.Gated(gate))
			limit := toolstest.Dict{}
			if say.timeout > 0 {
				limit["timeout"] = say.timeout
			}
			with := func(args toolstest.Dict) toolstest.Dict {
				for k, v := range limit {
					args[k] = v
				}
				return args
			}
			after, res := took("execute_nb_cells", with(toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}), say.progress)
			var got notebook.ExecuteResult
			if err := json.Unmarshal([]byte(toolstest.MessageOf(res)), &got); err != nil {
				t.Fatal(err)
			}
			one := got.Results[0]
			test.Eq(t, say.want, after.Round(5*time.Second))
			test.Eq(t, string(run.Running), one.State)
			test.NotEq(t, "", one.RunID)
			test.StrContains(t, one.Message, "wait_run")
			if after, _ := took("wait_run", with(toolstest.Dict{"run_id": one.RunID}), say.progress); after != say.want {
				t.Errorf("%+v: wait_run answered after %s", say, after)
			}
			r.Server.Write(t, gate, "")
			_, res = took("wait_run", toolstest.Dict{"run_id": one.RunID}, false)
			text := toolstest.MessageOf(res)
			test.StrContains(t, text, `waiting\ndone\n`, test.Sprint(say))
			test.StrContains(t, text, `"state":"done"`, test.Sprint(say))
		}
	})
}
