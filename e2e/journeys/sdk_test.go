package journeys

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// The SDKs list the tools and read a notebook.
func TestSDKs(t *testing.T) {
	t.Parallel()
	for name, library := range map[string]sdk.Kit{"Python": sdk.Python, "TypeScript": sdk.TypeScript} {
		path := notebook(t, kit.Jupyter(t), "seen = 'by an SDK'")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listAndCall(t, library, path)
		})
	}
}

func listAndCall(t *testing.T, library sdk.Kit, path string) {
	t.Helper()
	file := kit.Binary(t)
	c, err := sdk.Start(t.Context(), sdk.Options{Kit: library, ClientEnv: kit.Jupyter(t).ClientEnv(), Command: file, Env: map[string]string{
		"JUPYTER_SERVER_URL": kit.Jupyter(t).URL, "JUPYTER_TOKEN": kit.Jupyter(t).Token, "GORACE": "atexit_sleep_ms=10",
	}})
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the log of client and program:\n%s", c.Log())
		}
	})
	tools, err := c.Tools(t.Context())
	must.NoError(t, err)
	if len(tools) < 10 {
		t.Errorf("%d tools are listed", len(tools))
	}
	answer, err := c.Call(t.Context(), "read_nb_cells", map[string]any{"path": path})
	must.NoError(t, err)
	test.False(t, answer.IsError, test.Sprint("read_nb_cells"))
	test.StrContains(t, answer.Text(), "seen = 'by an SDK'", test.Sprint("read_nb_cells"))
}
