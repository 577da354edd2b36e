package clients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// Every example and error of the context resources' contract works with the SDK that hosts are built on.
func TestContextResources(t *testing.T) {
	ctx := t.Context()
	const file = "TestContextResources.yaml"
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(file), []byte(kit.ProjectText), 0o600))
	c := typescriptStdio(t, "--project="+file, "--state=:memory:")
	read := func(uri string) string {
		t.Helper()
		got, err := c.Read(ctx, uri)
		must.NoError(t, err)
		must.SliceLen(t, 1, got)
		test.Eq(t, uri, got[0].URI)
		test.Eq(t, "text/markdown", got[0].MIMEType)
		return got[0].Text
	}
	refused := func(uri string, code int, message string) {
		t.Helper()
		var e *sdk.Error
		_, err := c.Read(ctx, uri)
		must.True(t, errors.As(err, &e), must.Sprint(uri))
		test.Eq(t, code, e.Code, test.Sprint(uri))
		test.StrContains(t, e.Message, message, test.Sprint(uri))
	}
	list, err := c.Resources(ctx)
	must.NoError(t, err)
	templates, err := c.Templates(ctx)
	must.NoError(t, err)
	listed := fmt.Sprint(list, templates)
	for _, uri := range []string{"context://project/overview", "context://module/{name}", "context://module/auth", "context://session/current", "context://sessions/recent", "context://sessions/recent{?limit}"} {
		if !strings.Contains(listed, uri) {
			t.Errorf("%s is not listed", uri)
		}
	}
	if text := read("context://project/overview"); !strings.HasPrefix(text, "# Project: My SaaS App\n\n**Type:** fullstack") {
		t.Error(text)
	}
	if text := read("context://module/auth"); !strings.HasPrefix(text, "# Module: auth\n") ||
		!strings.Contains(text, "## Patterns (2)\n\n- Use JWT tokens in httpOnly cookies\n- Implement token refresh with mutex locks") {
		t.Error(text)
	}
	refused("context://module/invalidModule", -32602, "Module not found: invalidModule")
	if text := read("context://session/current"); !strings.Contains(text, "No active session") {
		t.Error(text)
	}
	refused("context://sessions/recent?limit=none", -32602, "Invalid limit: none")
	refused("context://projects", -32600, "Unknown resource: context://projects")
	names, err := c.CompleteTemplate(ctx, "context://module/{name}", "name", "a", nil)
	must.NoError(t, err, must.Sprint("completed"))
	must.SliceLen(t, 1, names.Values, must.Sprint("completed"))
	test.Eq(t, "auth", names.Values[0], test.Sprint("completed"))
	var kept struct{ Session string }
	typescriptDo(t, c, "record_context", map[string]any{"topics": []string{"logins"}}, &kept)
	if text := read("context://session/current"); !strings.HasPrefix(text, "# Active Session\n\n**Started:** 20") || !strings.Contains(text, "- logins\n") {
		t.Error(text)
	}
	if text := read("context://sessions/recent?limit=5"); !strings.HasPrefix(text, "# Recent Sessions (1)\n\n## Session "+kept.Session[:8]+"\n**Started:** 20") {
		t.Error(text)
	}
	prompts, err := c.Prompts(ctx)
	must.NoError(t, err, must.Sprint("prompts"))
	test.SliceLen(t, 5, prompts, test.Sprint("prompts"))
	text, err := c.Prompt(ctx, "continue_work", map[string]string{"goal": "the login page"})
	must.NoError(t, err, must.Sprint("prompt"))
	must.SliceLen(t, 1, text.Messages, must.Sprint("prompt"))
	test.StrContains(t, text.Messages[0].Content.Text, "the login page", test.Sprint("prompt"))
}

// A killed program's record survives; two programs may run at once.
func TestActivityOutlivesTheProgram(t *testing.T) {
	ctx := t.Context()
	state := filepath.Join(t.TempDir(), "activity.db")
	file := kit.Binary(t)
	killed, err := agent.Start(ctx, agent.Options{Binary: file, Args: []string{"--state=" + state}, Env: kit.AgentEnv(t)})
	must.NoError(t, err)
	beside := typescriptStdio(t, "--state="+state)
	_, err = killed.Do(ctx, "record_context", map[string]any{"topics": []string{"before the end"}, "discovery": "it stays"}, nil)
	must.NoError(t, err)
	seen := func(ctx context.Context) error {
		got, err := beside.Read(ctx, "context://sessions/recent")
		if err == nil && !strings.Contains(got[0].Text, "**Topics:** before the end  \n**Discoveries:** 1") {
			err = errors.New(got[0].Text)
		}
		return err
	}
	must.NoError(t, poll.Until(ctx, "the other program to see it", seen))
	killed.Kill()
	_ = killed.Close() // it reports that it was killed
	must.NoError(t, seen(ctx))
	again := kit.StartAgent(t, "--state="+state)
	_, err = again.Do(ctx, "record_context", map[string]any{"topics": []string{"afterwards"}}, nil)
	must.NoError(t, err)
	must.NoError(t, poll.Until(ctx, "the next to be seen", func(ctx context.Context) error {
		got, err := beside.Read(ctx, "context://sessions/recent")
		if err == nil && !strings.HasPrefix(got[0].Text, "# Recent Sessions (2)\n") {
			err = errors.New(got[0].Text)
		}
		return err
	}))
}
