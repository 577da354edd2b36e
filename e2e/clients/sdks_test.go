package clients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// way is how a client of an SDK reaches the program.
type way struct {
	transport string // stdio, or a path of the program's HTTP
	modern    bool   // it asks for the newest revision
	protocol  string // what is agreed on
}

// Revisions of the protocol: the last with sessions, and the one without.
const (
	older  = "2025-11-25"
	newest = "2026-07-28"
)

// olderWays are those of the protocol's older revisions, newerWays those of the newest.
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
			must(t, g.goes(library))
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

// do calls a tool that must answer well.
func (g *kitGuest) do(tool string, args map[string]any, out any) *sdk.Answer {
	g.t.Helper()
	return typescriptDo(g.t, g.Client, tool, args, out)
}

// hello checks what was agreed on.
func (g *kitGuest) hello() {
	hello := g.Hello()
	if hello.Protocol != g.way.protocol || hello.Server.Name != "nbduet" || hello.Instructions == "" || hello.Capabilities["tools"] == nil || hello.Capabilities["resources"] == nil {
		g.t.Errorf("the server says %+v", hello)
	}
}

// lists asks for the tools, the prompts and the templates, and gets a prompt.
func (g *kitGuest) lists() {
	ctx := g.t.Context()
	tools, err := g.Tools(ctx)
	must(g.t, err)
	for _, tool := range tools {
		if _, ok := inspected[tool.Name]; !ok || len(tool.OutputSchema) != 0 || tool.Annotations["readOnlyHint"] == nil {
			g.t.Errorf("the list of tools has %+v", tool)
		}
	}
	if len(tools) != len(inspected) {
		g.t.Errorf("%d tools are listed, want %d", len(tools), len(inspected))
	}
	prompts, err := g.Prompts(ctx)
	if err != nil || len(prompts) < 4 {
		g.t.Errorf("prompts: %+v, %v", prompts, err)
	}
	text, err := g.Prompt(ctx, "continue_work", map[string]string{"goal": "the login page"})
	if err != nil || len(text.Messages) != 1 || !strings.Contains(text.Messages[0].Content.Text, "the login page") {
		g.t.Errorf("prompt: %+v, %v", text, err)
	}
	templates, err := g.Templates(ctx)
	if err != nil || len(templates) < 10 {
		g.t.Errorf("templates: %+v, %v", templates, err)
	}
	known, err := g.CompletePrompt(ctx, "fix_failing_cell", "path", strings.TrimSuffix(g.path, ".ipynb"), nil)
	if err != nil || !slices.Contains(known.Values, g.path) {
		g.t.Errorf("completed: %+v, %v", known, err)
	}
}

// dot shows the smallest picture.
const dot = `from base64 import b64decode
from IPython.display import Image
Image(b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="))`

// works gives a cell a new source, hears of the progress while it runs, and has its picture, in the answer and by its
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
	must(g.t, errors.Join(err, os.WriteFile(kit.Jupyter(g.t).Path(goOn), nil, 0o600), <-call))
	picture := slices.IndexFunc(answer.Content, func(c sdk.Content) bool { return c.Type == "image" })
	if answer.IsError || picture < 0 || answer.Content[picture].MIMEType != "image/png" {
		g.t.Fatalf("the answer is %.2000v", answer)
	}
	list, err := g.Resources(ctx)
	must(g.t, err)
	drawn := slices.IndexFunc(list, func(r sdk.Resource) bool {
		return r.MIMEType == "image/png" && strings.Contains(answer.Text(), r.URI)
	})
	if drawn < 0 {
		g.t.Fatalf("the picture is not among the resources: %+v", list)
	}
	contents, err := g.Read(ctx, list[drawn].URI)
	must(g.t, err)
	if len(contents) != 1 || contents[0].Blob != answer.Content[picture].Data {
		g.t.Errorf("the resource is not the picture of the answer: %.300v", contents)
	}
}

// at is the range of one cell.
func at(i int) map[string]any { return map[string]any{"start": i} }

// subscribes hears of a change of a cell, and then reads it.
func (g *kitGuest) subscribes() {
	ctx := g.t.Context()
	cell := notebooksOf(g.t, g.Client)[slices.IndexFunc(notebooksOf(g.t, g.Client), func(n listedNotebook) bool { return n.Path == g.path })].URI + "/cells/cell-0"
	must(g.t, g.Subscribe(ctx, cell))
	g.do("modify_nb_cells", map[string]any{"path": g.path, "modifications": []map[string]any{{"range": at(0), "content": "'new'"}}, "exec": false}, &struct{}{})
	heardOf(g.t, g.Client, cell)
	if got := readText(g.t, g.Client, cell); got.Text != "'new'" {
		g.t.Errorf("the cell is %+v", got)
	}
	must(g.t, g.Unsubscribe(ctx, cell))
}

// isAsked answers what a cell asks. Over HTTP+SSE the server cannot ask; in the newest revision no server does, but
// answers a call with the question.
func (g *kitGuest) isAsked() {
	if g.way.transport == "/sse" && !g.way.modern {
		return
	}
	answer := g.do("execute_nb_cells", map[string]any{"path": g.path, "ranges": []any{at(1)}}, &struct{}{})
	if !strings.Contains(answer.Text(), "'Ada'") {
		g.t.Errorf("the cell that asks for a name answers %s", answer.Text())
	}
	question, err := g.Await(g.t.Context(), "elicitation/create", nil)
	if err != nil || !strings.Contains(string(question), "Who?") {
		g.t.Errorf("asked %s, %v", question, err)
	}
}

// stops takes back a call, and with it the cell.
func (g *kitGuest) stops() {
	g.do("read_nb_cells", map[string]any{"path": g.path}, &struct{}{})
	g.do("modify_nb_cells", map[string]any{"path": g.path, "modifications": []map[string]any{{"range": at(0), "content": "import time\ntime.sleep(600)"}}, "exec": false}, &struct{}{})
	ctx, stop := context.WithCancel(g.t.Context())
	defer stop()
	call := make(chan error, 1)
	go func() {
		_, err := g.Call(ctx, "execute_nb_cells", map[string]any{"path": g.path, "ranges": []any{at(0)}, "timeout": 600, "interrupt_on_cancel": true}) // not every kit says why
		call <- err
	}()
	last := func(state string) {
		g.t.Helper()
		must(g.t, poll.Until(g.t.Context(), "the last run to be "+state, func(context.Context) error {
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

// isRefused has errors for what is wrong, of tools and of the protocol.
func (g *kitGuest) isRefused() {
	ctx := g.t.Context()
	answer, err := g.Call(ctx, "get_variables", map[string]any{"session_id": "none"})
	if err != nil || !answer.IsError || !strings.Contains(answer.Text(), "session_not_found") {
		g.t.Errorf("a session that is none: %+v, %v", answer, err)
	}
	_, err = g.Read(ctx, "notebook://session-123/nb-456")
	if wrong := refusedWith(err, "Notebook not found"); wrong != nil {
		g.t.Error(wrong)
	}
	if answer, err := g.Call(ctx, "no_such_tool", nil); err == nil && !answer.IsError {
		g.t.Errorf("a tool that is none answers %+v", answer)
	}
}

// goes ends what a client without a session leaves behind, and leaves.
func (g *kitGuest) goes(library sdk.Kit) error {
	if library != sdk.Python && g.way == olderWays[1] {
		return g.End(g.t.Context())
	}
	return nil
}
