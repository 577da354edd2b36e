package clients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// way is how an SDK's client reaches the program.
type way struct {
	transport string // stdio, or a path of the program's HTTP server
	modern    bool   // it requests the newest revision
	protocol  string // the negotiated revision
}

// Revisions of the protocol: the last one with sessions, and the one without.
const (
	older  = "2025-11-25"
	newest = "2026-07-28"
)

// olderWays use the protocol's older revisions, newerWays the newest.
var (
	olderWays = []way{{"stdio", false, older}, {"/mcp", false, older}, {"/sse", false, older}}
	newerWays = []way{{"stdio", true, newest}, {"/mcp", true, newest}, {"/sse", true, newest}}
	socketWay = way{"/mcp/ws", false, older}
)

// The MCP SDK for Python works with the program over each transport, in both eras of the protocol.
func TestPythonSDK(t *testing.T) { testKit(t, sdk.Python, slices.Concat(olderWays, newerWays)) }

// So does the second version of the SDK for TypeScript.
func TestTypeScriptSDK2(t *testing.T) {
	testKit(t, sdk.TypeScript2, slices.Concat(olderWays, newerWays))
}

// The first version knows only the older era, and is the only one with a client for WebSocket.
func TestTypeScriptSDK1(t *testing.T) { testKit(t, sdk.TypeScript, append(olderWays, socketWay)) }

func testKit(t *testing.T, library sdk.Kit, ways []way) {
	t.Helper()
	w := kit.StartWeb(t, 1, "--toolsets=all")
	for _, way := range ways {
		era := "older"
		if way.modern {
			era = "newest"
		}
		t.Run(strings.TrimPrefix(way.transport, "/")+", "+era, func(t *testing.T) {
			t.Parallel()
			opt := sdk.Options{
				Kit: library, Modern: way.modern, URL: w.URL + way.transport, SSE: way.transport == "/sse", Headers: kit.Bearer(w.Tokens[0]),
				Elicit: map[string]any{"action": "accept", "content": map[string]any{"value": "Ada"}},
			}
			if way == socketWay {
				opt.URL = kit.SocketURL(opt.URL)
			}
			if way.transport == "stdio" {
				opt = stdioOptions(t, opt, "--toolsets=all")
			}
			g := kitGuest{t: t, Client: typescript(t, opt), way: way, path: kit.NewNotebook(t, kit.Code("'old'"), kit.Code("name = input('Who? ')\nname"))}
			g.hello()
			g.lists()
			g.works()
			g.subscribes()
			g.isAsked()
			g.stops()
			g.isRefused()
			must.NoError(t, g.goes(library))
		})
	}
}

// kitGuest is a client of an SDK at work in a notebook.
type kitGuest struct {
	*sdk.Client
	t    *testing.T
	way  way
	path string
}

// do calls a tool that must succeed.
func (g *kitGuest) do(tool string, args map[string]any, out any) *sdk.Answer {
	g.t.Helper()
	return typescriptDo(g.t, g.Client, tool, args, out)
}

// hello checks the negotiated revision and the server's name.
func (g *kitGuest) hello() {
	hello := g.Hello()
	test.Eq(g.t, g.way.protocol, hello.Protocol)
	test.Eq(g.t, "nbduet", hello.Server.Name)
	test.NotEq(g.t, "", hello.Instructions)
	must.NotNil(g.t, hello.Capabilities["tools"])
	test.NotNil(g.t, hello.Capabilities["resources"])
}

// lists requests the tools, the prompts and the templates, and gets a prompt.
func (g *kitGuest) lists() {
	ctx := g.t.Context()
	tools, err := g.Tools(ctx)
	must.NoError(g.t, err)
	for _, tool := range tools {
		_, ok := inspected[tool.Name]
		must.True(g.t, ok)
		must.SliceEmpty(g.t, tool.OutputSchema)
		test.NotNil(g.t, tool.Annotations["readOnlyHint"])
	}
	if len(tools) != len(inspected) {
		g.t.Errorf("%d tools are listed, want %d", len(tools), len(inspected))
	}
	prompts, err := g.Prompts(ctx)
	must.NoError(g.t, err, must.Sprint("prompts"))
	test.GreaterEq(g.t, 4, len(prompts), test.Sprint("prompts"))
	text, err := g.Prompt(ctx, "continue_work", map[string]string{"goal": "the login page"})
	must.NoError(g.t, err, must.Sprint("prompt"))
	must.SliceLen(g.t, 1, text.Messages, must.Sprint("prompt"))
	test.StrContains(g.t, text.Messages[0].Content.Text, "the login page", test.Sprint("prompt"))
	templates, err := g.Templates(ctx)
	must.NoError(g.t, err, must.Sprint("templates"))
	test.GreaterEq(g.t, 10, len(templates), test.Sprint("templates"))
	known, err := g.CompletePrompt(ctx, "fix_failing_cell", "path", strings.TrimSuffix(g.path, ".ipynb"), nil)
	must.NoError(g.t, err, must.Sprint("completed"))
	test.SliceContainsOp(g.t, known.Values, g.path, test.Sprint("completed"))
}

// dot shows the smallest picture.
const dot = `from base64 import b64decode
from IPython.display import Image
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="))`

// works gives a cell a new source, receives progress while it runs, and gets its picture, in the answer and by its
// address.
func (g *kitGuest) works() {
	ctx := g.t.Context()
	goOn := g.path + "-go-on"
	source := fmt.Sprintf("import os, time\nwhile not os.path.exists(%q):\n    time.sleep(0.05)\n%s", goOn, dot)
	g.do("read_nb_cells", map[string]any{"path": g.path}, &struct{}{})
	g.do("modify_nb_cells", map[string]any{"path": g.path, "modifications": []map[string]any{{"range": at(0), "content": source}}, "exec": false}, &struct{}{})
	call := make(chan error, 1)
	var answer *sdk.Answer
	go func() {
		var err error
		answer, err = g.CallWithProgress(ctx, "execute_nb_cells", map[string]any{"path": g.path, "ranges": []any{at(0)}})
		call <- err
	}()
	_, err := g.Await(ctx, "notifications/progress", nil)
	must.NoError(g.t, errors.Join(err, os.WriteFile(kit.Jupyter(g.t).Path(goOn), nil, 0o600), <-call))
	picture := slices.IndexFunc(answer.Content, func(c sdk.Content) bool { return c.Type == "image" })
	must.False(g.t, answer.IsError)
	must.GreaterEq(g.t, 0, picture)
	must.Eq(g.t, "image/png", answer.Content[picture].MIMEType)
	list, err := g.Resources(ctx)
	must.NoError(g.t, err)
	drawn := slices.IndexFunc(list, func(r sdk.Resource) bool {
		return r.MIMEType == "image/png" && strings.Contains(answer.Text(), r.URI)
	})
	if drawn < 0 {
		g.t.Fatalf("the picture is not among the resources: %+v", list)
	}
	contents, err := g.Read(ctx, list[drawn].URI)
	must.NoError(g.t, err)
	must.SliceLen(g.t, 1, contents, must.Sprint("the resource is not the picture of the answer"))
	test.Eq(g.t, answer.Content[picture].Data, contents[0].Blob, test.Sprint("the resource is not the picture of the answer"))
}

// at is the range of one cell.
func at(i int) map[string]any { return map[string]any{"start": i} }

// subscribes receives a notification of a cell's change and then reads the cell.
func (g *kitGuest) subscribes() {
	ctx := g.t.Context()
	cell := notebooksOf(g.t, g.Client)[slices.IndexFunc(notebooksOf(g.t, g.Client), func(n listedNotebook) bool { return n.Path == g.path })].URI + "/cells/cell-0"
	must.NoError(g.t, g.Subscribe(ctx, cell))
	g.do("modify_nb_cells", map[string]any{"path": g.path, "modifications": []map[string]any{{"range": at(0), "content": "'new'"}}, "exec": false}, &struct{}{})
	heardOf(g.t, g.Client, cell)
	if got := readText(g.t, g.Client, cell); got.Text != "'new'" {
		g.t.Errorf("the cell is %+v", got)
	}
	must.NoError(g.t, g.Unsubscribe(ctx, cell))
}

// isAsked answers a cell's input request. Over HTTP+SSE the server cannot ask; in the newest revision a server does not
// ask but answers a call with the question.
func (g *kitGuest) isAsked() {
	if g.way.transport == "/sse" && !g.way.modern {
		return
	}
	answer := g.do("execute_nb_cells", map[string]any{"path": g.path, "ranges": []any{at(1)}}, &struct{}{})
	if !strings.Contains(answer.Text(), "'Ada'") {
		g.t.Errorf("the cell that asks for a name answers %s", answer.Text())
	}
	question, err := g.Await(g.t.Context(), "elicitation/create", nil)
	must.NoError(g.t, err)
	test.StrContains(g.t, string(question), "Who?")
}

// stops cancels a call, which interrupts the cell.
func (g *kitGuest) stops() {
	g.do("read_nb_cells", map[string]any{"path": g.path}, &struct{}{})
	g.do("modify_nb_cells", map[string]any{"path": g.path, "modifications": []map[string]any{{"range": at(0), "content": "import time\ntime.sleep(600)"}}, "exec": false}, &struct{}{})
	ctx, stop := context.WithCancel(g.t.Context())
	defer stop()
	call := make(chan error, 1)
	go func() {
		_, err := g.Call(ctx, "execute_nb_cells", map[string]any{"path": g.path, "ranges": []any{at(0)}, "timeout": 600, "interrupt_on_cancel": true}) // not every kit gives one
		call <- err
	}()
	last := func(state string) {
		g.t.Helper()
		must.NoError(g.t, poll.Until(g.t.Context(), "the last run to be "+state, func(context.Context) error {
			var listed struct {
				Runs []struct{ State string }
			}
			g.do("list_runs", map[string]any{"path": g.path}, &listed)
			if len(listed.Runs) == 0 || listed.Runs[0].State != state {
				return fmt.Errorf("%+v", listed)
			}
			return nil
		}))
	}
	last("running")
	stop()
	if err := <-call; !errors.Is(err, context.Canceled) {
		g.t.Errorf("the call that was stopped ends with %v", err)
	}
	last("interrupted")
}

// isRefused checks the errors of tools and of the protocol.
func (g *kitGuest) isRefused() {
	ctx := g.t.Context()
	answer, err := g.Call(ctx, "get_variables", map[string]any{"session_id": "none"})
	must.NoError(g.t, err, must.Sprint("an unknown session"))
	test.True(g.t, answer.IsError, test.Sprint("an unknown session"))
	test.StrContains(g.t, answer.Text(), "session_not_found", test.Sprint("an unknown session"))
	_, err = g.Read(ctx, "notebook://session-123/nb-456")
	if wrong := refusedWith(err, "Notebook not found"); wrong != nil {
		g.t.Error(wrong)
	}
	if answer, err := g.Call(ctx, "no_such_tool", nil); err == nil && !answer.IsError {
		g.t.Errorf("an unknown tool answers %+v", answer)
	}
}

// goes ends the session over streamable HTTP. The SDK for Python does that itself.
func (g *kitGuest) goes(library sdk.Kit) error {
	if library != sdk.Python && g.way == olderWays[1] {
		return g.End(g.t.Context())
	}
	return nil
}
