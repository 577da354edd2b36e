package jupyterhub

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// culling stops servers that have been idle for some seconds, and makes their start take some seconds more.
const culling = `
import asyncio, os, sys

async def wait(spawner):
    await asyncio.sleep(5)

c.Spawner.pre_spawn_hook = wait
c.JupyterHub.services.append({
    "name": "culler",
    "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=15", "--cull-every=3"],
    "environment": {"PYTHONPATH": os.environ["PYTHONPATH"]},
})
c.JupyterHub.load_roles.append({
    "name": "culler", "services": ["culler"],
    "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
})
c.JupyterHub.activity_resolution = 1
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 1}  # how long a hub leaves who starts a server without an answer
`

// A culled server is started again by a call with start_server, and its files are unchanged.
func TestCulledServer(t *testing.T) {
	kit.Binary(t) // built now, so that no server is idle during the build
	both(t, func(t *testing.T, version int) {
		h := start(t, hubs.Options{Version: version, Config: block(t, onYourMachine, "python") + culling})
		s := &site{Hub: h, ann: joined(t, h, "ann")}
		may := map[int]string{5: "servers!user=ann", 6: "start:servers!user=ann"} // as the page says
		how := at(s.ann, token(t, h, "ann", mine("ann"), "read:servers!user=ann", may[version]))
		const path = "culled.ipynb"
		a := laptop(t, how)
		s.opened(t, a, path, "before = 1")
		must.NoError(t, h.AwaitStopped(t.Context(), "ann"))
		read := map[string]any{"path": path}
		if text := do(t, a, "read_nb_cells", read, nil).Text; !strings.Contains(text, notRunning) || !strings.Contains(text, "before = 1") {
			t.Errorf("an open notebook is read without what is wrong: %s", text) // its content is cached
		}
		refused(t, a, "insert_nb_cells", insert(path, "lost = 1"), notRunning, `"start_server": true`)
		refused(t, a, "list_documents", map[string]any{}, notRunning, `"start_server": true`)

		// A client without progress notifications gets an answer in time and calls again.
		impatient := laptop(t, entry{Command: how.Command, Env: with(how.Env, "NBDUET_ANSWER_WITHIN", "2")})
		again := map[string]any{"path": path, "start_server": true}
		refused(t, impatient, "read_nb_cells", again, "JupyterHub is starting the server of ann", "call again")
		must.NoError(t, poll.Until(t.Context(), "the server to be started", func(ctx context.Context) error {
			answer, err := impatient.Do(ctx, "read_nb_cells", again, nil)
			if err == nil && !strings.Contains(answer.Text, "before = 1") {
				t.Fatalf("read %s", answer.Text)
			}
			return err
		}))
		// The client that had the notebook open has it again.
		must.NoError(t, poll.Until(t.Context(), "the notebook to be read", func(ctx context.Context) error {
			got, err := sources(ctx, a, path)
			if err == nil && !slices.Contains(got, "before = 1") {
				t.Fatalf("read %q", got)
			}
			return err
		}))

		must.NoError(t, h.AwaitStopped(t.Context(), "ann"))
		text, told := following(t, how, "read_nb_cells", again)
		if all := strings.Join(told, "; "); !strings.Contains(text, "before = 1") || !strings.Contains(all, "asking JupyterHub to start the server of ann") || !strings.Contains(all, "Spawning") {
			t.Errorf("with the progress %q: %s", told, text)
		}
	})
}

// with returns an environment with one more variable.
func with(env map[string]string, name, value string) map[string]string {
	all := map[string]string{name: value}
	for name, value := range env {
		all[name] = value
	}
	return all
}

// following calls a tool as a client that receives progress notifications.
func following(t *testing.T, how entry, tool string, args map[string]any) (answer string, told []string) {
	t.Helper()
	file := kit.Binary(t)
	p, err := agent.Spawn(agent.Options{Binary: file, Env: environment(t, how)})
	must.NoError(t, err)
	c := client.NewClient(transport.NewIO(p.Stdout, p.Stdin, io.NopCloser(strings.NewReader(""))))
	defer func() {
		_ = c.Close() // which ends it
		code, err := p.Wait(20 * time.Second)
		must.NoError(t, err)
		test.Eq(t, 0, code)
	}()
	var mu sync.Mutex
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		mu.Lock()
		defer mu.Unlock()
		if n.Method == "notifications/progress" {
			told = append(told, fmt.Sprint(n.Params.AdditionalFields["message"]))
		}
	})
	must.NoError(t, c.Start(context.WithoutCancel(t.Context())))
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "nbduet-e2e", Version: "1"}
	_, err = c.Initialize(t.Context(), hello)
	must.NoError(t, err)
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, args
	request.Params.Meta = &mcp.Meta{ProgressToken: "p"}
	result, err := c.CallTool(t.Context(), request)
	must.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	return fmt.Sprint(result.Content), slices.Clone(told)
}

// removed removes a user during a run of theirs: the call ends, and the program keeps running and gives the reason.
func (s *site) removed(t *testing.T) {
	const path, user = "removed.ipynb", "leaver"
	address := joined(t, s.Hub, user)
	a := laptop(t, at(address, token(t, s.Hub, user, mine(user))))
	do(t, a, "create_document", map[string]any{"path": path}, nil)
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 0, "exec": false, "cells": []any{map[string]any{"content": "import time\nfor i in range(300): print('tick', i, flush=True); time.sleep(1)"}}}, nil)
	type ended struct {
		answer *agent.Answer
		err    error
	}
	ends := make(chan ended, 1)
	go func() {
		answer, err := a.Call(t.Context(), "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0, "end": 1}}, "timeout": 200})
		ends <- ended{answer, err}
	}()
	must.NoError(t, poll.Until(t.Context(), "the run to put something out", func(ctx context.Context) error {
		answer, err := a.Call(ctx, "read_nb_cells", map[string]any{"path": path})
		if err == nil && !strings.Contains(answer.Text, "tick 1") {
			err = fmt.Errorf("read %s", answer.Text)
		}
		return err
	}))
	must.NoError(t, s.RemoveUser(t.Context(), user))
	began := time.Now()
	end := <-ends
	must.NoError(t, end.err)
	if took := time.Since(began); took > atMost {
		t.Errorf("the call went on for %s: %s", took, end.answer.Text)
	}
	if !strings.Contains(end.answer.Text, "lost") && !strings.Contains(end.answer.Text, unknown) {
		t.Errorf("the call is answered %s", end.answer.Text)
	}
	for tool, args := range opening(path) {
		began := time.Now()
		refused(t, a, tool, args, unknown)
		if took := time.Since(began); took > atMost {
			t.Errorf("%s was refused after %s", tool, took)
		}
	}
}

// atMost is how long a call of a removed user may take.
const atMost = 15 * time.Second
